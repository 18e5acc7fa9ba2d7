"""The facts in exact arithmetic: every claim asked, every answer with its certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.analysis.budget import UNBOUNDED, Budget
from tdcert.analysis.estimates import claims_seconds
from tdcert.analysis.facts import (
    AlgorithmDynamics,
    Algorithms,
    ChainFacts,
    ClaimAnswer,
    ClassFacts,
    ModelFacts,
    Quantity,
    by_algorithm,
)
from tdcert.analysis.request import Arithmetic
from tdcert.claims.claim import decide
from tdcert.claims.own import every
from tdcert.claims.paper import Entry
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import irreducibility_certificate, period_certificate, stationary_certificate
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.check.convergence import convergence_certificates
from tdcert.theory.check.fixed_point import (
    bound_factor,
    fixed_point_error_squared,
    predictions,
    projection_error_squared,
    rest_point,
    true_value,
)
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.check.mean_dynamics import MEANS, gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress

EVERY_CLAIM_STATES = 40
"""Up to this many states a model is asked every claim; above, those that say something about it."""

CERTIFICATES = "certificates"
"""The folder of a report that holds them."""

NO_TRACE = "λ = 1 without a length, and I − N is singular: the series Σ Nᵏ has no sum; give the schedule a length"


def asked_of_models() -> list[Entry]:
    """The decided claims, installed ones too, but those about experiments, which say nothing of another model."""
    return [row for row in every() if not row.is_open and not row.is_empirical]


def analyse_exactly(
    model: Model, on_progress: Progress, claims: bool = True, budget: Budget = UNBOUNDED
) -> tuple[ModelFacts, tuple[FiledCertificate, ...]]:
    """Everything the suite can say about a model, and the certificates of it; ``claims``: whether they are asked,
    ``budget``: of those that hold whatever the model is.
    """
    available = asked_of_models()
    small, beyond = model.n <= EVERY_CLAIM_STATES, None
    if claims and small:
        beyond = budget.beyond("Claims that hold whatever the model is", claims_seconds(model), "--what claims")
    every_one = small and beyond is None
    decided = [row for row in available if claims and (every_one or row.load().asked_of_large_exact_models)]
    not_asked = tuple(row.id for row in available if row not in decided)
    total = len(decided) + 3
    shelf = Shelf(CERTIFICATES)
    facts = exact_facts(model, shelf, lambda done, what: on_progress(done, total, what))
    for certificate in convergence_certificates(model):
        shelf.put(certificate, model)
    answers = []
    for done, entry in enumerate(decided):
        on_progress(3 + done, total, entry.id)
        answers.append(_answer(entry, model, shelf))
    on_progress(total, total, "done")
    asked = replace(
        facts,
        claims=tuple(answers),
        claims_not_asked=not_asked,
        notes=_about_size(not_asked if claims and not small else ()),
        left_out=beyond,
    )
    return asked, tuple(shelf.files)


def exact_facts(
    model: Model, shelf: Shelf | None = None, on_step: Callable[[int, str], None] = lambda done, what: None
) -> ModelFacts:
    """The chain, the true value, and each recurrent class with its matrices and dynamics; no claim is asked."""
    shelf = shelf or Shelf(CERTIFICATES)
    on_step(0, "chain and stationary law")
    chain = model.behaviour_chain
    shelf.put(irreducibility_certificate(chain), model)
    for states in chain.recurrent_classes:
        shelf.put(stationary_certificate(chain, states), model)
        shelf.put(period_certificate(chain, states), model)
    on_step(1, "key matrices, fixed point and mean dynamics")
    value = true_value(model)
    return ModelFacts(
        model,
        Arithmetic.EXACT,
        ChainFacts.of(chain),
        tuple(_of_class(model, states, value, shelf) for states in chain.recurrent_classes),
        missing=model.uncovered,
        kappa=model.kappa,
        value=value,
    )


def _of_class(model: Model, states: tuple[int, ...], value: RationalMatrix | None, shelf: Shelf) -> ClassFacts:
    if not model.has_trace_sum_on(states):
        undecided = AlgorithmDynamics(MeanDynamics.UNDECIDED, reason=NO_TRACE)
        law = model.behaviour_chain.stationary_law(states)
        return ClassFacts(states, by_algorithm(model.is_on_policy, dict.fromkeys(MEANS, undecided)), law)
    keys = theorem_matrices(model, states)
    projected = None if value is None else projection_error_squared(model, states, value)
    reached = None if value is None else fixed_point_error_squared(model, states, value)
    factor = bound_factor(model.is_on_policy_when_recurrent, model.schedule, largest_discount(model))
    bound = None if projected is None or factor is None else projected * factor
    return ClassFacts(
        states,
        algorithms(model, states, shelf),
        keys.d,
        keys.A,
        keys.b,
        keys.C,
        rest_point(keys),
        predictions(model, states),
        Quantity.of(projected),
        Quantity.of(reached),
        Quantity.of(bound),
    )


def algorithms(model: Model, states: tuple[int, ...], shelf: Shelf | None = None) -> Algorithms:
    """The mean dynamics of each algorithm on a recurrent class; their certificates go to the shelf."""
    found = (td_dynamics(model, states), *gradient_dynamics(model, states))
    return by_algorithm(
        model.is_on_policy, {name: _dynamics(one, model, shelf) for name, one in zip(MEANS, found, strict=True)}
    )


def _dynamics(found: Dynamics[Fraction], model: Model, shelf: Shelf | None) -> AlgorithmDynamics:
    path = None if shelf is None or found.certificate is None else shelf.put(found.certificate, model)
    return AlgorithmDynamics(found.mean_dynamics, found.rate, found.matrix, found.reason, path)


def _about_size(not_asked: Sequence[str]) -> tuple[str, ...]:
    """The note that says which statements a large model was not asked."""
    if not not_asked:
        return ()
    return (
        f"{len(not_asked)} statements that hold whatever the model is were not asked of it, because it has more than "
        f"{EVERY_CLAIM_STATES} states: their evidence is in tdcert verify",
    )


def _answer(entry: Entry, model: Model, shelf: Shelf) -> ClaimAnswer:
    decision = decide(entry.load(), model)
    verdict = decision.verdict
    asked = [answer.certificate for answer in decision.answers.values()]
    paths = [shelf.put(c, model, entry.id) for c in (*verdict.certificates, *asked) if c is not None]
    return ClaimAnswer(entry.id, verdict, tuple(dict.fromkeys(paths)))
