"""A model whose transitions are drawn independently: what is asked of it, and the facts about it.

Its states at successive times are independent draws from the sampling law, so the chain of the facts is that one: it
has one recurrent class, the states that are drawn, and the period one. The matrices are those of TD(0) with that law
(:func:`tdcert.theory.model.key_matrices.theorem_matrices`). Each algorithm is a row of its own function, with an empty
memory before each transition (:mod:`tdcert.theory.engine.outcomes`). The paper's statements are about paths: none is
asked, and neither is what compares schedules, for a trace of one transition has none; a λ that stands in an increment
itself counts.
"""

from __future__ import annotations

from dataclasses import replace

from tdcert.algorithms import named
from tdcert.algorithms.schedules import applicable
from tdcert.analysis.facts import ChainFacts, ClassFacts, ModelFacts, Quantity
from tdcert.analysis.request import Arithmetic, Part, Request
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

OF_PATHS = "statements of papers, warnings and comparisons of schedules are about paths, and none was asked"
SCHEDULE_KEPT_OUT = "the schedule changes no trace: each is of one transition"
NOT_ASKED = "the transitions are drawn independently, and it is about a path"


def is_independent(model: object) -> bool:
    """Whether the transitions of a model are drawn independently."""
    return isinstance(model, Model) and model.sampling is not None


def asked_of_draws(asked: Request, model: Model) -> Request:
    """What of a request is asked of independent draws: the rows of its algorithms, the paper's by default.

    Raises :class:`InputError` for what is about paths and was asked for by name.
    """
    unasked = ", ".join(sorted(asked.named - {Part.VERDICT}))
    for option, given, why in (
        ("--for-all lambda", asked.for_all == "lambda", "the trace of one transition has no λ"),
        ("--lambda-sweep", asked.lambda_sweep, "it compares traces, and that of one transition has no λ"),
        ("--candidates", bool(asked.candidates), "it compares traces, and that of one transition has no schedule"),
        (f"--what {unasked}", bool(unasked), "it is about paths"),
    ):
        if given:
            raise InputError(f"{option} was asked of independent draws, and {why}; leave it out")
    listed = asked.algorithms or tuple(map(named, applicable(model)))
    return replace(asked, algorithms=listed, parts=frozenset({Part.VERDICT}))


def facts_of_draws(model: Model, arithmetic: Arithmetic, bits: int) -> ModelFacts:
    """The facts; those that are matrices where the arithmetic is exact."""
    from tdcert.analysis.exact_analysis import asked_of_models
    from tdcert.theory.check.fixed_point import true_value

    states = model.classes[0]
    others = tuple(s for s in range(model.n) if s not in states)
    exact = arithmetic is Arithmetic.EXACT
    value = true_value(model) if exact else None
    assert model.sampling is not None
    stationary = model.behaviour_kernel.P.T @ model.sampling == model.sampling
    law = "the stationary law of the behaviour policy" if stationary else "a law that is not stationary"
    schedule = () if model.schedule == Schedule() else (SCHEDULE_KEPT_OUT,)
    return ModelFacts(
        model,
        arithmetic,
        ChainFacts(not others, (states,), (1,), others, 1),
        (class_of_rows(model, states, value) if exact else ClassFacts(states, {}, model.sampling),),
        missing=model.uncovered,
        kappa=model.gamma,
        value=value,
        claims_not_asked=tuple(row.id for row in asked_of_models()),
        notes=(f"transitions are drawn independently, their states from {law}; {OF_PATHS}", *schedule),
        bits=None if exact else bits,
    )


def class_of_rows(model: Model, states: tuple[int, ...], value: RationalMatrix | None) -> ClassFacts:
    """The matrices and errors of TD on a class, where each algorithm is a row of its own; ``value``: V, if known."""
    from tdcert.theory.check.fixed_point import projection_error_squared, rest_point, squared_norm
    from tdcert.theory.model.key_matrices import theorem_matrices

    keys = theorem_matrices(model, states)
    theta = rest_point(keys)
    predicted = None if theta is None else model.features @ theta
    projected = None if value is None else projection_error_squared(model, states, value)
    reached = None if value is None or predicted is None else squared_norm(keys, predicted - value)
    return ClassFacts(
        states,
        {},
        keys.d,
        keys.A,
        keys.b,
        keys.C,
        theta,
        predicted,
        Quantity.of(projected),
        Quantity.of(reached),
    )
