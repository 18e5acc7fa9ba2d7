r"""Verdicts over a set of models: TD, GTD and TDC are stable for all, unstable for all, or the data do not decide.
Other updates are asked all around its middle (:mod:`tdcert.theory.samples.nearby`).

What is said of every model of the set is true of the true model wherever the set holds it: with probability at least
1 − δ over the data, at all times at once. This is a grade of its own, ``confident``, kept apart from the four of
:class:`tdcert.theory.verdict.Grade`: those speak of a model that is given, or of runs of one, and none has a δ that
belongs to data. Several verdicts about one set share its δ; none is "right with probability 1 − δ" by itself.

Decided in this order, all in rational numbers:

1. *Every transition law.* On-policy, A is negative definite for every P with one recurrent class on which the features
   are independent, at every schedule with λ's in [0, 1] and a discount below one (Proposition 4.1: ‖M‖_D ≤ γ). The data
   are asked for the class alone: states that certain transitions lead to from everywhere.
2. *Stable for all*: X ≻ 0 from the middle of the set, and XA + AᵀX ≺ 0 on it (Lyapunov). That form lies in a box;
   with R its negative at the midpoint and Δ the row sums of the radii, R − diag(Δ) ≻ 0 is enough: the rest is
   diagonally dominant.
3. *Unstable for all*: X symmetric with a vector v, vᵀXv > 0, and X(A − sI) + (A − sI)ᵀX ≻ 0 on the set, s ≥ 0
   (:mod:`tdcert.theory.check.stability`).
4. GTD and TDC are stable where C ≻ 0 and A is nonsingular (:mod:`tdcert.theory.check.mean_dynamics`, 2): features
   independent on the core, and either a form of 2 or of 3 with s = 0, as Ax = 0 makes it zero at x, or |I − RA| lies on
   the set below a matrix with spectral radius below one, R the inverse at the middle.
5. Else two exact models of the set are looked for that disagree, each decided by the exact checks. For GTD and TDC
   these are two models with det A of either sign: the set is convex, A is continuous on it, so it is singular between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import float_lyapunov_solution, prove_unstable
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.limits import SAMPLED_ENTRIES, beyond, cached, raised
from tdcert.theory.model.key_matrices import apply_M, behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.samples.intervals import IntervalMatrix
from tdcert.theory.samples.model_set import ModelSet
from tdcert.theory.samples.sampled_model import Laws, SampledModel
from tdcert.theory.words import Told

GRADE = "confident"
SET = "over the data, at all times at once, the true model is in a set on all of which it is"
"""What is claimed of a set of models, after the probability."""
DEPENDENT = 1e12
"""Features are taken for dependent, in the search for a form, where C has a larger condition."""
ACTIONS = 6
"""Actions of an unknown behaviour policy, at most: each state's set of laws has up to m 2^(m−1) corners."""
ROUNDS = 20
"""How many models the search for one that disagrees looks at."""

Floats = NDArray[np.float64]
Score = Callable[[Floats], tuple[float, Floats]]


class Update(StrEnum):
    """The algorithms that are decided over a set: GTD at every ratio of its step sizes, TDC on its slow time scale."""

    TD = "TD"
    GTD = "GTD"
    TDC = "TDC"


@dataclass(frozen=True)
class Witness:
    """A model of the set, and what was decided of it exactly, in words."""

    model: Model
    says: str


@dataclass(frozen=True, repr=False)
class ConfidentVerdict(Told):
    """What holds for every model of a set that holds the true one with probability at least 1 − ``delta``.

    ``answer``: stable or unstable for all, or undecided; ``why``: the argument, or what is missing. ``for_every_law``:
    whether the argument asks nothing of the transition probabilities but which of them are positive. ``disagree``: two
    models of the set that show that it cannot decide, or none. ``markov``: whether the caller claims (M);
    ``markov_refuted``: whether the data refute it, in which case only a caller that does not claim it is answered.
    ``rests``: what holds with that probability. ``update``: an :class:`Update`, or another algorithm by its name;
    ``meant``: at which steps, where that has to be said of another.
    """

    update: str
    answer: MeanDynamics
    why: str
    delta: Fraction
    markov: bool
    for_every_law: bool = False
    disagree: tuple[Witness, ...] = ()
    markov_refuted: bool = False
    rests: str = SET
    meant: str = ""

    def __post_init__(self) -> None:
        if self.answer not in (MeanDynamics.STABLE, MeanDynamics.UNSTABLE, MeanDynamics.UNDECIDED):
            raise ValueError(f"a verdict over a set is stable, unstable or undecided, not '{self.answer}'")
        if self.disagree and (self.answer is not MeanDynamics.UNDECIDED or len(self.disagree) != 2):
            raise ValueError("two models that disagree belong to a verdict that is undecided")
        if self.markov and self.markov_refuted and self.answer is not MeanDynamics.UNDECIDED:
            raise ValueError("a verdict over a set that the data refute does not claim that the states are Markov")
        if not self.why or not 0 < self.delta < 1:
            raise ValueError("a verdict over a set says why, and with which delta")

    @property
    def grade(self) -> str:
        """``confident`` where something was decided of states that the data leave Markov, else empty."""
        return "" if self.answer is MeanDynamics.UNDECIDED or self.markov_refuted else GRADE

    @property
    def sentence(self) -> str:
        """The verdict in words, with its δ and what it rests on."""
        if self.answer is MeanDynamics.UNDECIDED:
            if not self.disagree:
                return f"{self.update} is not decided: {self.why}."
            one, other = self.disagree
            return (
                f"{self.update}: the data do not decide. {_capital(self.why)}. Two models of the set disagree: "
                f"{one.says}; {other.says}."
            )
        on = "" if self.markov else ", if these states are Markov"
        on += " (which the data refute)" if self.markov_refuted else ""
        scales = " on two time scales (β ≫ α)" if self.update is Update.TDC else self.meant
        return (
            f"{self.update}{scales} is {self.answer} with confidence{on}: with probability at least "
            f"1 − {self.delta} {self.rests}. {_capital(self.why)}."
        )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def verdict(found: SampledModel, update: Update) -> ConfidentVerdict:
    """The verdict about one algorithm over the set."""

    def said(answer: MeanDynamics, why: str, every: bool = False) -> ConfidentVerdict:
        return _said(found, update, answer, why, every=every)

    if why := unfounded(found):
        return said(MeanDynamics.UNDECIDED, why)
    core = found.core
    independent = found.features.take(rows=core).rank == found.features.shape[1]
    if found.is_on_policy and independent and found.discount < 1:
        why = (
            "on-policy, with features that are independent on the recurrent states and a discount below one, A is "
            "negative definite whatever the transition probabilities; the data show which states are recurrent"
        )
        return said(MeanDynamics.STABLE, why, every=True)
    if why := not_begun(found):
        return said(MeanDynamics.UNDECIDED, why)
    if update is Update.TD:
        return _td(found)
    if not independent:
        why = "the features are not known to be independent on the recurrent states; give independent ones"
        return said(MeanDynamics.UNDECIDED, why)
    return _gradient(found, update)


def unfounded(found: SampledModel) -> str:
    """Why nothing is said of a set: the data refute what it rests on, or it is no set of chains with one class; else
    nothing.
    """
    if found.markov and found.markov_refuted:
        assert found.markov_test is not None
        return f"{found.markov_test.sentence}; with markov=False the verdict is about states that are"
    for s, (least, pi) in enumerate(zip(found.least_behaviour, found.target.rows, strict=True)):
        a = next((a for a, p in enumerate(pi) if p and not least[a]), None)
        if a is not None and s not in found.terminal and not found.is_on_policy:
            return f"the behaviour policy is not known to take action {a} in state {s}, which the target policy does"
    if not found.core:
        return (
            "no state is reached from all others by transitions that the data show to be possible, so that one "
            "recurrent class is not known for every model" + _never_left(found)
        )
    return ""


def _never_left(found: SampledModel) -> str:
    """What to do about states of which nothing is known."""
    never = [s for s, row in enumerate(found.rows) if s not in found.terminal and all(x.k > 1 and not x.n for x in row)]
    if not never:
        return ""
    some = f"state {never[0]} was" if len(never) == 1 else f"{len(never)} states, the first of them {never[0]}, were"
    return (
        f": {some} never left; declare with possible where a step leads from there, or with terminal that episodes end "
        "there, or take coarser states"
    )


def not_begun(found: SampledModel) -> str:
    """Why the forms of a set are not bounded: λ's without an end, or too many numbers; else nothing."""
    if found.acts is not None and found.behaviour.shape[1] > ACTIONS:
        return f"an unknown behaviour policy is bounded for at most {ACTIONS} actions; name the policy"
    if found.schedule.tail:
        return "off-policy or for θ*, λ's without an end are not enclosed; give a schedule with one"
    work = sum(row.k for rows in found.rows for row in rows) * found.features.shape[1] ** 2
    if found.walk.corners is not None:
        work *= max(map(len, found.walk.corners))
    if work > raised(SAMPLED_ENTRIES):
        why = f"successors × d² are {work:,}, and at most {raised(SAMPLED_ENTRIES):,} are asked about"
        return beyond(why, work / SAMPLED_ENTRIES)
    return ""


def verdicts(found: SampledModel) -> tuple[ConfidentVerdict, ...]:
    """The verdicts about TD, GTD and TDC; all share the set's δ."""
    return tuple(verdict(found, update) for update in Update)


@dataclass(frozen=True, eq=False)
class SetForm:
    """X (d×d, symmetric) with ``sign``·(XA + AᵀX) − 2·``shift``·X ≻ 0 for every model of a set, which the form
    congruent by T shows: X ≻ 0 and the sign −1, so that A is stable, or a ``vector`` with vᵀXv > 0 and the sign 1, so
    that it is not. Features are those of :attr:`ModelSet.in_unit`.
    """

    X: RationalMatrix
    T: RationalMatrix
    sign: int
    shift: Fraction = Fraction(0)
    vector: RationalMatrix | None = None

    @property
    def is_regular(self) -> bool:
        """Whether the form shows that A is nonsingular: Ax = 0 makes xᵀ(XA + AᵀX)x zero, but −2·shift·xᵀXx may be
        positive.
        """
        return self.shift == 0

    def lower(self, found: ModelSet) -> RationalMatrix:
        """A matrix below Tᵀ(``sign``·(XA + AᵀX) − 2·``shift``·X)T on all of the set, in the sense of :func:`below`."""
        box = found.in_unit.form(self.X.scaled(Fraction(self.sign)), self.T)
        return below(box - IntervalMatrix.around((self.T.T @ self.X @ self.T).scaled(2 * self.shift)))


@cached(8)
def form_of(found: ModelSet) -> SetForm | None:
    """One Lyapunov matrix, of the middle of the set, that shows that A is stable on all of it, or unstable; or None.

    X is to make the form as large as ΦᵀDΦ of the centre, and T to make it about one, whatever the features' scale.
    """
    unit = found.in_unit
    middle, one = unit.central_A, unit.features.identity(unit.features.shape[1])
    scale = unit.central_C
    try:
        whitening = np.linalg.inv(np.linalg.cholesky(scale)).T
    except np.linalg.LinAlgError:
        whitening = np.full_like(scale, np.nan)
    known = bool(np.all(np.isfinite(whitening))) and np.linalg.cond(scale) < DEPENDENT
    scale, T = (scale, rounded(whitening)) if known else (np.eye(len(scale)), one)
    if not T.is_regular:
        T = one
    X = float_lyapunov_solution(middle.to_float(), -scale)
    if X is not None and np.all(np.isfinite(X)) and is_definite(proposed := rounded(X)):
        form = SetForm(proposed, T, -1)
    else:
        grows = prove_unstable(middle)
        if grows is None:
            return None
        form = SetForm(grows.X, T, 1, grows.shift, grows.vector)
    return form if is_definite(form.lower(found)) else None


def rounded(matrix: Floats) -> RationalMatrix:
    """Rational numbers near floats, of a few bits beside the largest."""
    unit = Fraction(2) ** (20 - int(np.frexp(np.max(np.abs(matrix)))[1]))
    return RationalMatrix([[Fraction(round(Fraction(float(x)) * unit)) / unit for x in row] for row in matrix])


def is_definite(X: RationalMatrix) -> bool:
    """Whether a symmetric matrix is known to be positive definite."""
    try:
        return decide_positive_definite(X).positive
    except BudgetExceededError:
        return False


def _said(
    found: SampledModel,
    update: Update,
    answer: MeanDynamics,
    why: str,
    *,
    every: bool = False,
    disagree: tuple[Witness, ...] = (),
) -> ConfidentVerdict:
    return ConfidentVerdict(update, answer, why, found.delta, found.markov, every, disagree, found.markov_refuted)


def _td(found: SampledModel) -> ConfidentVerdict:
    form = form_of(found)
    if form is None:
        return _undecided(found, Update.TD, _disagree_about_td(found))
    if form.sign < 0:
        why = "a Lyapunov matrix of the middle of the set serves all of it"
        return _said(found, Update.TD, MeanDynamics.STABLE, why)
    why = "an indefinite Lyapunov matrix of the middle of the set serves all of it"
    return _said(found, Update.TD, MeanDynamics.UNSTABLE, why)


def _gradient(found: SampledModel, update: Update) -> ConfidentVerdict:
    if is_nonsingular_on(found):
        why = "C is positive definite, and A is nonsingular, on all of the set"
        return _said(found, update, MeanDynamics.STABLE, why)
    return _undecided(found, update, _disagree_about_the_determinant(found, update))


def _undecided(found: SampledModel, update: Update, disagree: tuple[Witness, ...]) -> ConfidentVerdict:
    why = "the set is still too wide for one answer"
    if not disagree:
        why += ", and no two models of it were found that disagree"
    return _said(found, update, MeanDynamics.UNDECIDED, why, disagree=disagree)


# ---- boxes ----------------------------------------------------------------------------------------


def below(S: IntervalMatrix) -> RationalMatrix:
    """The midpoint of a box around a symmetric matrix (d×d), less the row sums of the radii on the diagonal: where that
    is positive definite, every symmetric member is, as the rest is diagonally dominant.
    """
    sums = [sum(row, start=Fraction(0)) for row in S.radius.rows]
    return S.middle - S.middle.identity(len(sums)).scale_rows(RationalMatrix.column(sums))


def distance_from_one(B: IntervalMatrix) -> RationalMatrix:
    """E ≥ |I − B|, entry by entry, for every member of a box (d×d)."""
    off = B - IntervalMatrix.around(B.middle.identity(B.shape[0]))
    rows = zip(off.lower, off.upper, strict=True)
    return RationalMatrix([[max(-a, b) for a, b in zip(low, high, strict=True)] for low, high in rows])


def weights_below_one(E: RationalMatrix) -> RationalMatrix | None:
    """x > 0 (d×1) with Ex < x for E ≥ 0 (d×d), or None: x solves (I − E)x = 1. So E has spectral radius below one, and
    every B with |I − B| ≤ E is regular.
    """
    one = E.identity(E.shape[0])
    try:
        x = (one - E).solve(RationalMatrix.column([1] * E.shape[0]))
    except SingularMatrixError:
        return None
    return x if all(entry > 0 for entry in x.column_entries()) else None


@cached(8)
def inverse_of(found: ModelSet) -> RationalMatrix | None:
    """R (d×d) near the inverse of A in the middle of :attr:`ModelSet.in_unit`, with |I − RA| on all of the set
    below a matrix with spectral radius below one (:func:`weights_below_one`), so that A is regular there; or None.
    """
    unit = found.in_unit
    middle = unit.central_A
    try:
        R = near(middle.solve(middle.identity(middle.shape[0])))
    except SingularMatrixError:
        return None
    return None if weights_below_one(distance_from_one(unit.times(R))) is None else R


def near(matrix: RationalMatrix) -> RationalMatrix:
    """Nearby numbers with small denominators, entry by entry: any serve."""
    return RationalMatrix([[Fraction(float(x)) for x in row] for row in matrix.rows])


def is_nonsingular_on(found: ModelSet) -> bool:
    """Whether A is known to be nonsingular for every model of the set: by a form, or as RA is near I."""
    form = form_of(found)
    return (form is not None and form.is_regular) or inverse_of(found) is not None


# ---- two models that disagree ---------------------------------------------------------------------


def _disagree_about_td(found: SampledModel) -> tuple[Witness, ...]:
    centre = _decided_td(found, found.centre_laws)
    if centre is None or not found.contains(found.centre_laws):
        return ()
    stable = centre[0] is MeanDynamics.STABLE

    def score(A: Floats) -> tuple[float, Floats]:
        values, vectors = np.linalg.eig(A)
        k = int(np.argmax(values.real))
        right = vectors[:, k]
        lefts, left_vectors = np.linalg.eig(A.T)
        left = left_vectors[:, int(np.argmin(abs(lefts - values[k])))]
        scale = left @ right
        gradient = np.real(np.outer(left, right) / scale) if scale else np.eye(len(A))
        return (float(values[k].real), gradient) if stable else (-float(values[k].real), -gradient)

    for laws in _climb(found, score):
        other = _decided_td(found, laws)
        if other is not None and {centre[0], other[0]} == {MeanDynamics.STABLE, MeanDynamics.UNSTABLE}:
            return centre[1], other[1]
    return ()


def _decided_td(found: SampledModel, laws: Laws) -> tuple[MeanDynamics, Witness] | None:
    model = found.model_of(laws)
    (states,) = model.behaviour_chain.recurrent_classes
    dynamics = td_dynamics(model, states)
    if dynamics.mean_dynamics is MeanDynamics.UNDECIDED:
        return None
    return dynamics.mean_dynamics, Witness(model, f"TD is {dynamics.mean_dynamics} on one ({dynamics.reason})")


def _disagree_about_the_determinant(found: SampledModel, update: Update) -> tuple[Witness, ...]:
    centre = _determinant(found, found.centre_laws)
    if centre == 0 or not found.contains(found.centre_laws):
        return ()
    sign = 1 if centre > 0 else -1

    def score(A: Floats) -> tuple[float, Floats]:
        det = float(np.linalg.det(A))
        try:
            cofactors: Floats = np.asarray(det * np.linalg.inv(A).T, dtype=np.float64)
        except np.linalg.LinAlgError:
            cofactors = np.zeros_like(A)
        return -sign * det, -sign * cofactors

    for laws in _climb(found, score):
        other = _determinant(found, laws)
        if sign * other < 0:
            words = {1: "positive", -1: "negative"}
            between = "models between the two, which are in the set, have a singular A"
            return (
                Witness(found.centre, f"det A is {words[sign]} on one, on which {update} is stable"),
                Witness(found.model_of(laws), f"it is {words[-sign]} on the other, and {between}"),
            )
    return ()


def _determinant(found: SampledModel, laws: Laws) -> Fraction:
    model = found.model_of(laws)
    (states,) = model.behaviour_chain.recurrent_classes
    return behaviour_matrices(model, states).A.determinant()


def _climb(found: SampledModel, score: Score) -> Iterator[Laws]:
    """Models of the set on which a function of A grows, in floats: a search, no proof.

    ``score``: the value at A and its gradient (d×d). From each model the one with the largest mean of what the gradient
    asks for is taken, its rows pulled back into their sets; what lies ahead of the first step is kept as it was.
    """
    found = found.in_unit
    laws, best = found.centre_laws, -np.inf
    Phi, gamma = found.features.to_float(), np.array([float(x) for x in found.discounts])
    for _ in range(ROUNDS):
        keys = found.in_floats(laws)
        if not np.all(np.isfinite(keys.A.array)):
            return
        value, gradient = score(keys.A.array)
        if not value > best:
            return
        best, first = value, (found.schedule.lambdas or (Fraction(0),))[0]
        rest = apply_M(keys.N, found.schedule.lambdas[1:], Fraction(0), keys.Phi)
        Y = keys.Phi.scaled(1 - first) + rest.scaled(first)
        asked = Phi @ gradient  # by state: what a unit of each column of Y is worth
        slopes = np.einsum("s,sa,sl,jl->saj", gamma, found.target.to_float(), asked, Y.array)
        laws = found.walk.towards(-np.sum(asked * Phi, axis=1), slopes)
        if found.terminal:
            start = laws[found.terminal[0]]
            laws = tuple(start if s in found.terminal else row for s, row in enumerate(laws))
        yield laws
