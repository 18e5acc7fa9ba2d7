"""A model whose λ, or whose interest, is given by state: what is asked of it, and the facts about it.

Each algorithm is a row of its own function, with λ(s) for its λ; no closed form of a λ-schedule is used. The paper's
statements, those of others, warnings and comparisons with its usual schedules are about one λ-schedule: none is asked.
The matrices are those of TD with this trace, A = ΦᵀD(I − NΛ)⁻¹(N − I)Φ
(:func:`tdcert.theory.model.key_matrices.theorem_matrices`), in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tdcert.algorithms import for_model, named
from tdcert.algorithms.schedules import applicable
from tdcert.analysis.facts import ChainFacts, ClassFacts, ModelFacts
from tdcert.analysis.independent import class_of_rows
from tdcert.analysis.request import Arithmetic, Part, Request
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.terms import NUMBERS, Polynomial, Term, traced
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress

OF_SCHEDULES = "λ is given by state; statements of papers and warnings are about one λ-schedule, and none was asked"
NOT_ASKED = "λ is given by state, and it is about one λ-schedule"


def is_by_state(model: Model | SparseModel) -> bool:
    """Whether λ is given by state, along a path."""
    return model.lambda_by_state is not None and not (isinstance(model, Model) and model.sampling is not None)


def asked_by_state(asked: Request, model: Model | SparseModel) -> Request:
    """What of a request is asked where λ is given by state: the rows of its algorithms, the paper's by default, and
    what each does under other schedules, where that was asked for by name.

    Raises :class:`InputError` for statements and warnings that were asked for by name.
    """
    unasked = ", ".join(sorted(asked.named - {Part.VERDICT, Part.SCHEDULES}))
    if unasked:
        raise InputError(f"--what {unasked} was asked of a λ by state, and it is about one λ-schedule; leave it out")
    compared = Part.SCHEDULES in asked.named or asked.candidates is not None
    listed = asked.algorithms or tuple(map(named, applicable(model)))
    parts = {Part.VERDICT, Part.SCHEDULES} if compared else {Part.VERDICT}
    return replace(asked, algorithms=listed, parts=frozenset(parts))


def about_interest(model: Model | SparseModel, algorithms: Sequence[Algorithm]) -> tuple[str, ...]:
    """Which updates an interest that is given does not enter, as far as that can be told."""
    if model.interest is None:
        return ()
    without = [one.name for one in algorithms if has_interest(model, for_model(one, model)[0]) is False]
    names = ", ".join(dict.fromkeys(without))
    return (f"the interest does not enter {names}: there is none in the definition",) if without else ()


def has_interest(model: Model | SparseModel, update: Algorithm) -> bool | None:
    """Whether the interest enters an update, by its terms. Where these do not tell, as it takes vectors apart: whether
    it makes another update of two other interests. None where neither tells.
    """
    try:
        if isinstance(model, SparseModel):
            from tdcert.theory.engine.sparse_terms import sparsely_traced

            sparse = sparsely_traced(model, update, np.arange(model.n), first_order=True)
            return _in_terms(sparse.evaluations, sparse.when)
        found = traced(model, update, model.classes[0], first_order=True)
        return _in_terms(found.evaluations, {name for one in found.when for name in one})
    except (InputError, BudgetExceededError):
        return None if isinstance(model, SparseModel) else _makes_another(model, update)


def _in_terms(evaluations: Iterable[Mapping[Term, Polynomial]], when: Collection[str]) -> bool:
    """Whether the interest stands in the coefficients of terms, or tells evaluations apart."""
    place = NUMBERS.index("interest")
    polynomials = (polynomial for one in evaluations for polynomial in one.values())
    return "t.interest" in when or any(powers[place] for one in polynomials for powers in one)


def _makes_another(model: Model, update: Algorithm) -> bool | None:
    """Whether the update is another one where the interest is zero, or greater by one."""

    def edges(interest: Sequence[Fraction]) -> list[object]:
        found = tables(model, update, model.classes[0], interest=interest, first_order=True).edges
        return [(edge.increments, edge.recursion) for edge in found]

    assert model.interest is not None
    try:
        own = edges(model.interest)
        return edges([Fraction(0)] * model.n) != own or edges([x + 1 for x in model.interest]) != own
    except (InputError, BudgetExceededError):
        return None


def facts_by_state(model: Model | SparseModel, arithmetic: Arithmetic, bits: int, on_progress: Progress) -> ModelFacts:
    """The facts: those that depend on λ in exact arithmetic alone."""
    from tdcert.analysis.enclosed import analyse_in_balls, analyse_sparsely
    from tdcert.analysis.exact_analysis import asked_of_models
    from tdcert.theory.check.fixed_point import true_value

    not_asked = tuple(row.id for row in asked_of_models())
    if isinstance(model, Model) and arithmetic is Arithmetic.EXACT:
        value = true_value(model)
        classes = tuple(
            class_of_rows(model, states, value)
            if model.has_trace_sum_on(states)
            else ClassFacts(states, {}, model.law_of(states))
            for states in model.classes
        )
        chain = ChainFacts.of(model.behaviour_chain)
        return ModelFacts(
            model,
            arithmetic,
            chain,
            classes,
            missing=model.uncovered,
            value=value,
            claims_not_asked=not_asked,
            notes=(OF_SCHEDULES,),
        )
    plain = Schedule()
    found = (
        analyse_in_balls(model.with_schedule(plain), on_progress, bits, False)
        if isinstance(model, Model)
        else analyse_sparsely(replace(model, schedule=plain), on_progress, False)
    )
    kept = tuple(_without_lambda(part) for part in found.classes)
    notes = (*found.notes, OF_SCHEDULES)
    return replace(found, model=model, classes=kept, kappa=None, notes=notes, claims_not_asked=not_asked)


def _without_lambda(part: ClassFacts) -> ClassFacts:
    """What is known of a class under any λ."""
    return ClassFacts(
        part.states,
        {},
        part.stationary,
        C=part.C,
        projection_error_squared=part.projection_error_squared,
        law_bound=part.law_bound,
    )
