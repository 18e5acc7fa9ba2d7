r"""Verdicts on dense models too large for exact arithmetic, every rounding error bounded (grade ``enclosed``).

At 53 bits the matrices are midpoints and radii in floats (:mod:`theory.arithmetic.midrad`), beyond it balls of as
many bits. The formulas are those of :mod:`theory.model.key_matrices`, written once.
What is decided, for one recurrent class of the behaviour chain with law d:

* sym D(I − M) ≻ 0, by a verified factor. With independent columns of Φ on the class, A = −ΦᵀD(I − M)Φ is then negative
  definite: a far better conditioned question than sym A, which is asked where the first says nothing;
* C = ΦᵀDΦ ≻ 0 exactly if Φ has independent columns on the class, d being positive there;
* A nonsingular, by definiteness or an approximate inverse. With C ≻ 0 it makes GTD (every η > 0) and TDC stable (the
  argument is in :mod:`theory.check.mean_dynamics`);
* θ* = −A⁻¹b, enclosed by a verified solve;
* −sym A − (1 − κ)C ⪰ 0 on-policy, by a factor, or by the signs of the entries where it is exactly singular.

What is not decided carries the precision to try next. An exactly singular matrix is never decided this way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from theory.arithmetic.ball import precision
from theory.check.enclosed_class import ClassInEnclosures, maybe
from theory.check.enclosed_definite import FLOAT_BITS, Decision, nonsingular
from theory.check.enclosed_model import EnclosedModel, Pattern, exact_zeros, pattern
from theory.check.enclosed_result import EnclosedClass, EnclosedDynamics, EnclosedResult, EnclosedVerdict, Interval
from theory.check.hypotheses import (
    A_NONSINGULAR,
    C_POSITIVE,
    COVERAGE,
    DISCOUNTED,
    FULL_COLUMN_RANK,
    IRREDUCIBLE,
    LAMBDAS,
    ON_POLICY,
    UNIQUE_LAW,
    Hypothesis,
)
from theory.errors import BudgetExceededError, InputError
from theory.model.mdp import Model
from theory.verdict import Status

__all__ = [
    "EnclosedClass", "EnclosedDynamics", "EnclosedModel", "EnclosedResult", "EnclosedVerdict", "Interval",
    "analyse_enclosed",
]  # fmt: skip

Question = Callable[[ClassInEnclosures], Decision]

LARGEST_STATES = 4_000
"""Dense models beyond this many states are refused: some 30 matrices of n² floats are held at once."""


def analyse_enclosed(model: Model | EnclosedModel[Any], bits: int = FLOAT_BITS) -> EnclosedResult:
    """The verdicts about a dense model; ``bits`` ≥ 53, beyond 53 by balls (slower by a factor of a hundred and more).

    Raises :class:`InputError` for fewer bits and for models that are too large; :class:`BudgetExceededError`, which is
    no verdict, where probabilities leave the range of floats or the series of an endless schedule may have no sum.
    """
    if bits < FLOAT_BITS:
        raise InputError(f"{bits} bits were asked for; give {FLOAT_BITS} or more")
    if model.n > LARGEST_STATES:
        raise InputError(
            f"the model has {model.n} states; dense enclosures are offered up to {LARGEST_STATES} "
            f"(about {30 * 8 * model.n**2 / 2**30:.0f} GiB for this one), give it as a sparse model"
        )
    if isinstance(model, EnclosedModel) and bits > FLOAT_BITS:
        raise InputError("arrays of floats are analysed with 53 bits; give an exact model for more")
    # What overflows ends in infinite radii, from which nothing is concluded (rule 6 of theory.arithmetic.midrad).
    with np.errstate(all="ignore"), precision(bits) if bits > FLOAT_BITS else nullcontext():
        enclosed = model if isinstance(model, EnclosedModel) else EnclosedModel.of_model(model, bits)
        _require_trace_sum(enclosed, bits)
        shape = pattern(~exact_zeros(enclosed.behaviour))
        parts = [ClassInEnclosures(enclosed, states, bits) for states in shape.recurrent_classes]
        classes = tuple(part.summary() for part in parts)
        verdicts = _verdicts(enclosed, shape, parts)
        value = maybe(parts[0].value)
    kappa = enclosed.kappa
    about = None if kappa is None else (float(kappa), float(np.spacing(abs(float(kappa)))))
    return EnclosedResult(bits, shape, about, value, classes, verdicts)


def _require_trace_sum(model: EnclosedModel[Any], bits: int) -> None:
    """λ without end needs I − λN nonsingular, for the series of the trace to have a sum."""
    if model.schedule.tail:
        for N in (model.target.N, model.covered.N):
            answer = nonsingular(N.identity(model.n) - N.scaled(model.schedule.tail), "I − λN", bits)
            if not answer.holds:
                raise BudgetExceededError(f"the series of the trace may have no sum: {answer.why}")


def _verdicts(
    model: EnclosedModel[Any], shape: Pattern, parts: Sequence[ClassInEnclosures]
) -> dict[str, EnclosedVerdict]:
    """The claims of large models: each asked with its hypotheses, on every recurrent class."""
    exact = {
        IRREDUCIBLE: shape.is_irreducible,
        UNIQUE_LAW: len(parts) == 1,
        ON_POLICY: model.on_policy,
        COVERAGE: model.coverage,
        DISCOUNTED: model.discounted,
        LAMBDAS: model.lambdas_in_unit_interval,
    }

    def verdict(hypotheses: Sequence[Hypothesis], question: Question) -> EnclosedVerdict:
        violated = tuple(h.id for h in hypotheses if not exact[h])
        if violated:
            return EnclosedVerdict(Status.HYPOTHESIS_VIOLATED, "hypotheses do not hold", None, violated)
        answers = [question(part) for part in parts]
        against = next((answer for answer in answers if answer.holds is False), None)
        if against is not None:  # one class is enough
            return EnclosedVerdict(Status.REFUTED, against.why)
        for answer in answers:
            if answer.holds is None:
                return EnclosedVerdict(Status.UNDECIDED, answer.why, answer.precision_needed)
        return EnclosedVerdict(Status.HOLDS, "; ".join(dict.fromkeys(answer.why for answer in answers)))

    def rank_then(question: Question, *hypotheses: Hypothesis) -> EnclosedVerdict:
        """A claim that assumes independent columns besides what is known exactly."""
        if all(exact[h] for h in hypotheses):
            for part in parts:
                if part.rank.holds is None:
                    return EnclosedVerdict(Status.UNDECIDED, part.rank.why, part.rank.precision_needed)
                if not part.rank.holds:
                    name = C_POSITIVE.id if question is _conditions else FULL_COLUMN_RANK.id
                    return EnclosedVerdict(Status.HYPOTHESIS_VIOLATED, part.rank.why, None, (name,))
        return verdict(hypotheses, question)

    def regular(*hypotheses: Hypothesis) -> EnclosedVerdict:
        """A claim that assumes A nonsingular and then holds by it."""
        answer = verdict(hypotheses, lambda part: part.regular)
        if answer.status is Status.REFUTED:
            return EnclosedVerdict(Status.HYPOTHESIS_VIOLATED, answer.why, None, (A_NONSINGULAR.id,))
        return answer

    on_policy = (IRREDUCIBLE, ON_POLICY, DISCOUNTED, LAMBDAS)
    return {
        "prop_4_1": rank_then(lambda part: part.negative, *on_policy),
        "thm_4_3": rank_then(lambda part: part.negative, *on_policy),
        "thm_4_4_g_negative_definite": regular(),
        "thm_4_4": regular(UNIQUE_LAW, COVERAGE),
        "thm_4_6": regular(UNIQUE_LAW, COVERAGE),
        "negative_margin": verdict((ON_POLICY, LAMBDAS), _margin),
        "off_policy_margin": rank_then(_conditions, LAMBDAS),
    }


def _margin(part: ClassInEnclosures) -> Decision:
    """``negative_margin`` under its hypotheses: by a factor where the matrix is definite. Where it is singular, as for
    features that can write a constant function, by Z = κD − sym DM (:mod:`theory.check.margins`).
    """
    answer = part.margin()
    if answer.holds or not part.couplings_are_nonnegative:
        return answer if answer.holds is not False else Decision(None, answer.why, 2 * part.bits)
    why = (
        "Z = κD − sym DM has no positive entry off its diagonal, and Z1 ≥ 0 because the rows of P sum to one, dP = d "
        "and no discount exceeds the largest"
    )
    return Decision(True, why)


def _conditions(part: ClassInEnclosures) -> Decision:
    """``off_policy_margin``: sym D(I − M) ≻ 0 makes A ≺ 0; and where xᵀD(I − M)x ≤ 0, ‖x‖² ≤ ⟨x, Mx⟩ ≤ ‖x‖‖Mx‖."""
    states = part.definite_on_states
    if states is None:
        return Decision(True, "the target policy leaves the class, so no norm is finite")
    if states.holds is False:
        return Decision(True, f"{states.why}: A ≥ 0 for some feature, and ‖M‖_D ≥ 1")
    return states if states.holds is None else part.negative
