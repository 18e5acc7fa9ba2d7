r"""Verdicts on dense models too large for exact arithmetic, every rounding error bounded (grade ``enclosed``).

At 53 bits the matrices are midpoints and radii in floats (:mod:`tdcert.theory.arithmetic.float_enclosures`), beyond it
balls of as many bits. The formulas are those of :mod:`tdcert.theory.model.key_matrices`, written once.
What is decided, for one recurrent class of the behaviour chain with law d:

* sym D(I − M) ≻ 0, by a verified factor. With independent columns of Φ on the class, A = −ΦᵀD(I − M)Φ is then negative
  definite: a far better conditioned question than sym A, which is asked where the first says nothing;
* C = ΦᵀDΦ ≻ 0 exactly if Φ has independent columns on the class, d being positive there;
* A nonsingular, by definiteness or an approximate inverse. With C ≻ 0 it makes GTD (every η > 0) and TDC stable (the
  argument is in :mod:`tdcert.theory.check.mean_dynamics`);
* θ* = −A⁻¹b, enclosed by a verified solve;
* −sym A − (1 − κ)C ⪰ 0 on-policy, by a factor, or by the signs of the entries where it is exactly singular.

What is not decided carries the precision to try next, up to ``MOST_BITS``, and none where more bits cannot help. An
exactly singular matrix is never decided this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check import hypotheses
from tdcert.theory.check.hypotheses import A_NONSINGULAR, C_POSITIVE, FULL_COLUMN_RANK, Hypothesis
from tdcert.theory.enclose.definite import FLOAT_BITS, Conclusion, next_bits, nonsingular
from tdcert.theory.enclose.dense_class import BY_SUMS, ClassInEnclosures, maybe
from tdcert.theory.enclose.dense_model import EnclosedModel, exact_zeros
from tdcert.theory.enclose.dense_result import EnclosedResult
from tdcert.theory.enclose.sparse_law import Structure, structure
from tdcert.theory.enclose.statements import AskedStatement, HypothesisFacts, judged
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.forms import (
    A_REGULAR,
    DEFINITE_ON_STATES,
    NEGATIVE_A,
    Form,
    Hurwitz,
    Implications,
    NormBound,
    Statement,
)
from tdcert.theory.limits import ENCLOSED_STATES, beyond, raised
from tdcert.theory.model.mdp import Model

NOTHING: Mapping[str, AskedStatement] = {}


def analyse_enclosed(
    model: Model, bits: int = FLOAT_BITS, statements: Mapping[str, AskedStatement] = NOTHING
) -> EnclosedResult:
    """What holds of a dense model, and the verdicts about ``statements`` (by name).

    ``bits`` ≥ 53, beyond 53 by balls (slower by a factor of a hundred and more).

    Raises :class:`InputError` for fewer bits and for models that are too large; :class:`BudgetExceededError`, which is
    no verdict, where probabilities leave the range of floats or the series of an endless schedule may have no sum.
    """
    if bits < FLOAT_BITS:
        raise InputError(f"{bits} bits were asked for; give {FLOAT_BITS} or more")
    if model.n > raised(ENCLOSED_STATES):
        said = (
            f"the model has {model.n} states; dense enclosures are offered up to {raised(ENCLOSED_STATES)} "
            f"(about {30 * 8 * model.n**2 / 2**30:.0f} GiB for this one), give it as a sparse model"
        )
        raise InputError(beyond(said, model.n / ENCLOSED_STATES))
    # What overflows ends in infinite radii, from which nothing is concluded (float_enclosures, rule 6).
    with np.errstate(all="ignore"), precision(bits) if bits > FLOAT_BITS else nullcontext():
        enclosed = EnclosedModel.of_model(model, bits)
        _require_trace_sum(enclosed, bits)
        chain = structure(scipy.sparse.csr_array(~exact_zeros(enclosed.behaviour)))
        parts = [ClassInEnclosures(enclosed, tuple(states.tolist()), bits) for states in chain.recurrent]
        classes = tuple(part.summary() for part in parts)
        facts = _facts(enclosed, chain, parts)
        verdicts = {
            name: judged(asked, facts, partial(_on_classes, asked.form, parts)) for name, asked in statements.items()
        }
        value = maybe(parts[0].value)
    kappa = enclosed.kappa
    about = None if kappa is None else (float(kappa), float(np.spacing(abs(float(kappa)))))
    return EnclosedResult(bits, chain, about, value, classes, verdicts)


def _require_trace_sum(model: EnclosedModel[Any], bits: int) -> None:
    """λ without end needs I − λN nonsingular, for the series of the trace to have a sum."""
    if model.schedule.tail:
        for N in (model.target.N, model.covered.N):
            answer = nonsingular(N.identity(model.n) - N.scaled(model.schedule.tail), "I − λN", bits)
            if not answer.holds:
                raise BudgetExceededError(f"the series of the trace may have no sum: {answer.why}")


def _facts(model: EnclosedModel[Any], chain: Structure, parts: Sequence[ClassInEnclosures]) -> HypothesisFacts:
    exact = {
        hypotheses.IRREDUCIBLE: chain.irreducible,
        hypotheses.UNIQUE_LAW: len(parts) == 1,
        hypotheses.APERIODIC: set(chain.periods) == {1},
        hypotheses.ON_POLICY: model.on_policy_when_recurrent,
        hypotheses.COVERAGE: model.coverage,
        hypotheses.DISCOUNTED: model.discounted,
        hypotheses.CONSTANT_DISCOUNT: model.gamma is not None,
        hypotheses.LAMBDAS: model.lambdas_in_unit_interval,
        hypotheses.FINITE_SCHEDULE: model.schedule.is_finite,
    }
    return HypothesisFacts(exact, [_Answers(part) for part in parts])


class _Answers(Mapping[Hypothesis, Conclusion]):
    """The hypotheses about one class that are enclosed, each decided when it is first asked for."""

    def __init__(self, part: ClassInEnclosures) -> None:
        self.part = part

    def __getitem__(self, hypothesis: Hypothesis) -> Conclusion:
        if hypothesis not in tuple(self):
            raise KeyError(hypothesis)
        return self.part.regular if hypothesis is A_NONSINGULAR else self.part.rank

    def __iter__(self) -> Iterator[Hypothesis]:
        return iter((C_POSITIVE, FULL_COLUMN_RANK, A_NONSINGULAR))

    def __len__(self) -> int:
        return 3


def _on_classes(form: Statement, parts: Sequence[ClassInEnclosures]) -> list[Conclusion]:
    return [decide(form, part) for part in parts]


def decide(form: Statement, part: ClassInEnclosures) -> Conclusion:
    """A statement about one recurrent class of a dense model."""
    if isinstance(form, Implications):
        return _implications(form, part)
    if isinstance(form, NormBound):
        return part.bounded(form)
    if form.exactly_if is A_REGULAR:
        return part.regular
    if isinstance(form, Hurwitz):
        return part.stable(form)
    if form.where is not None and not form.where(part.model.all_lambdas, part.model.largest_discount):
        return Conclusion(None, f"for this schedule and discount nothing is stated of {form.name}")
    if form.matrix is NEGATIVE_A.matrix:
        return part.negative
    if form.matrix is DEFINITE_ON_STATES.matrix:
        return part.definite_on_states or Conclusion(False, "the target policy leaves the class")
    try:
        answer = part.definite(form)
    except SingularMatrixError:
        return Conclusion(None, f"whether {form.name} exists was not shown", next_bits(part.bits))
    if form.strict or answer.holds:
        return answer
    if form.through_signs and part.couplings_are_nonnegative:
        why = "Z = κD − sym DM has no positive entry off its diagonal, and Z1 ≥ 0"
        return Conclusion(True, f"{why} {BY_SUMS}")
    why = f"{answer.why}; whether it is positive semidefinite, only exact arithmetic tells"
    return answer if answer.holds is not False else Conclusion(None, why)


def _implications(form: Implications, part: ClassInEnclosures) -> Conclusion:
    """‖M‖_D < 1 ⇒ sym D(I − M) ≻ 0 ⇒ A ≺ 0: where xᵀD(I − M)x ≤ 0, ‖x‖² ≤ ⟨x, Mx⟩ ≤ ‖x‖‖Mx‖, so the first fails."""
    if [link for link in form.links if isinstance(link, Form)] != [DEFINITE_ON_STATES, NEGATIVE_A]:
        return Conclusion(None, "this chain of statements is not decided in enclosures")
    states = part.definite_on_states
    if states is None:
        return Conclusion(True, "the target policy leaves the class, so no norm is finite")
    if states.holds is False:
        return Conclusion(True, f"{states.why}: A ≥ 0 for some feature, and ‖M‖_D ≥ 1")
    return states if states.holds is None else part.negative
