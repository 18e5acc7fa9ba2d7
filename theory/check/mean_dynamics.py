r"""What the mean dynamics of each algorithm does on a model: stable, unstable, marginal, and how fast.

For a recurrent class with law d (all matrices as the algorithm meets them under the behaviour policy):

* TD(λ)-schedule, on- or off-policy: θ' = Aθ + b;
* GTD(λ)-schedule: (w, θ)' with matrix G = [[−ηC, ηA], [−Aᵀ, 0]], here η = 1;
* TDC(λ)-schedule, slow time scale: θ' = −AᵀC⁻¹(Aθ + b).

Three facts carry most verdicts:

1. A with negative definite symmetric part is Hurwitz (Lyapunov matrix I). On-policy that part follows from
   sym D(I − M) ≻ 0 and the column rank of Φ, a far better conditioned question, since A = −Φᵀ D(I − M) Φ.
2. With C ≻ 0: −AᵀC⁻¹A is negative definite, and G is Hurwitz for every η > 0, exactly if A is nonsingular.
   (sym diag(1, η)G = diag(−ηC, 0) ≤ 0, so no eigenvalue has positive real part; one on the axis has w = 0,
   then Aθ = 0.) A prime modulo which det A ≠ 0 decides all.
3. If the columns of Φ are dependent on the class, Φ = Φ_B T with independent columns Φ_B, and u = Tθ obeys
   u' = T Tᵀ(A_B u + b_B): the predictions Φθ = Φ_B u live on the quotient by the null space, whose matrix
   T Tᵀ A_B decides. θ itself keeps its part in the null space. By 1, D(I − M) ≻ 0 makes it Hurwitz too:
   T Tᵀ A_B is similar to (T Tᵀ)^½ A_B (T Tᵀ)^½, whose symmetric part is negative definite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import about_matrix, kernel_name, prime_of, rank_witness, strings
from tdcert.theory.check.decide import definiteness
from tdcert.theory.check.definiteness import Definiteness
from tdcert.theory.check.mean_matrix import (
    TIGHT_RATE_LIMIT,
    Dynamics,
    ExactDynamics,
    MeanDynamics,
    decided,
    gtd_rate,
    rate_of_stable,
    tdc_rate,
)
from tdcert.theory.check.stability import (
    LyapunovProof,
    certificate_of,
    prove_stable,
    prove_unstable,
    spectral_abscissa,
)
from tdcert.theory.errors import BudgetExceededError, short
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Relation, decide_relations
from tdcert.theory.forms import DEFINITE_ON_STATES, NEGATIVE_A
from tdcert.theory.limits import cached
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices, gtd_matrix, tdc_matrix, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

MEAN_A, MEAN_G, MEAN_SLOW = MEANS = "A", "G at η = 1", "−AᵀC⁻¹A"
"""Matrices of mean dynamics that are decided: of one vector, of two on one time scale, of the slow one of two."""


@dataclass(frozen=True)
class Reduced:
    """A model with independent features on the class: Φ = Φ_B T there, with T the ``coordinates`` (r×d)."""

    model: Model
    coordinates: RationalMatrix
    columns: tuple[int, ...]

    @property
    def is_full(self) -> bool:
        """Whether Φ itself has independent columns on the class."""
        return len(self.columns) == self.coordinates.shape[1]

    @property
    def stable(self) -> MeanDynamics:
        """The word for what is stable on the quotient."""
        return MeanDynamics.STABLE if self.is_full else MeanDynamics.STABLE_MODULO_NULL_SPACE

    @cached_property
    def weight(self) -> RationalMatrix:
        """T Tᵀ."""
        return self.coordinates @ self.coordinates.T

    def certificate(self, kind: str, about: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
        """A certificate about the quotient: with the columns B and T, where they are not all."""
        if self.is_full:
            return Certificate(kind, about, witness)
        about = {**about, "columns": list(self.columns)}
        return Certificate(kind, about, {**witness, "coordinates": self.coordinates.to_strings()})

    def spectral(
        self, proof: LyapunovProof | None, about: Mapping[str, Any], witness: Mapping[str, Any]
    ) -> Certificate | None:
        """The certificate of a proof about T Tᵀ A_B; None where there is none."""
        if proof is None:
            return None
        plain = certificate_of(proof, about, witness)
        return self.certificate(plain.kind, plain.about, plain.witness)


def unreduced(model: Model) -> Reduced:
    """A model whose features are known to be independent on the class."""
    return Reduced(model, model.features.identity(model.d), tuple(range(model.d)))


def reduce_features(model: Model, states: tuple[int, ...]) -> Reduced | None:
    """The quotient by the null space of Φ on the class; None where Φ vanishes there."""
    on_class = model.features.take(rows=states)
    if on_class.rank == model.d:
        return unreduced(model)
    columns, T = on_class.column_basis
    if not columns:
        return None
    return Reduced(model.with_features(model.features.take(columns=columns)), T, columns)


def definite_on_states(keys: KeyMatrices[RationalMatrix], states: tuple[int, ...]) -> Definiteness | None:
    """Whether sym D(I − M) ≻ 0 on the class; None where the target policy leaves it (then it says nothing).

    Raises :class:`BudgetExceededError` where the question is too thin and too large.
    """
    return definiteness(DEFINITE_ON_STATES, keys, states)


@cached(32)
def decide_negative_definite(
    model: Model, states: tuple[int, ...], kernel: str
) -> tuple[bool | None, str, Certificate | None]:
    """Whether A of the kernel (``"target"`` or ``"covered"``) is negative definite, why, and a certificate.

    None: undecided within the budget.
    """
    keys = theorem_matrices(model, states) if kernel == "target" else behaviour_matrices(model, states)
    base = about_matrix(states, kernel, matrix="A", sign="negative")
    witness = {"stationary": strings(keys.d)}
    on_class = model.features.take(rows=states)
    if on_class.rank == model.d and model.d > TIGHT_RATE_LIMIT:
        try:
            through = definite_on_states(keys, states)
        except BudgetExceededError:
            through = None
        if through is not None and through.positive and through.factor is not None:
            rank = rank_witness(model.features, states)
            body = {**witness, "rank": rank, "factor": through.factor.as_witness}
            reason = "sym D(I − M) is positive definite and Phi has full column rank"
            return True, reason, Certificate("definite", base, body)
    try:
        answer = definiteness(NEGATIVE_A, keys, states)
    except BudgetExceededError as error:
        return None, str(error), None
    assert answer is not None
    if answer.positive and answer.factor is not None:
        body = {**witness, "factor": answer.factor.as_witness}
        return True, "the symmetric part of A is negative definite", Certificate("definite", base, body)
    assert answer.vector is not None
    value = keys.A.quadratic_form(answer.vector)
    body = {**witness, "vector": strings(answer.vector)}
    return False, f"xᵀAx = {short(value)} for an x ≠ 0", Certificate("not_definite", base, body)


@cached(32)
def td_dynamics(model: Model, states: tuple[int, ...]) -> ExactDynamics:
    """TD(λ)-schedule (off-policy TD(λ)-schedule where the policies differ) on one recurrent class: by 1, else decided
    as any matrix is.
    """
    reduced, kernel = reduce_features(model, states), kernel_name(model)
    if reduced is None:
        return _vanishing(model, states, MEAN_A)
    inner = reduced.model
    keys = behaviour_matrices(inner, states)
    B = keys.A if reduced.is_full else reduced.weight @ keys.A
    about, witness = about_matrix(states, kernel, matrix="A"), {"stationary": strings(keys.d)}
    negative, reason, certificate = decide_negative_definite(inner, states, kernel)
    if negative and B.shape[0] > TIGHT_RATE_LIMIT:
        found = ExactDynamics(MeanDynamics.STABLE, reason, rate_of_stable(B))
    else:
        found = decided(B)
    if not negative:
        reason, certificate = found.reason, reduced.spectral(found.proof, about, witness)
    elif not reduced.is_full:
        # What was certified speaks of the independent columns alone; the model's own certificate is about D(I − M),
        # or about the quotient.
        certificate = _certificate_on_states(model, inner, states)
    if found.mean_dynamics is MeanDynamics.STABLE:
        certificate = certificate or reduced.spectral(prove_stable(B), about, witness)
        found = replace(found, mean_dynamics=reduced.stable)
    elif found.mean_dynamics is MeanDynamics.UNSTABLE and certificate is None and found.rate is not None:
        # A has the eigenvalues of B, and zeros.
        grown = prove_unstable(behaviour_matrices(model, states).A, found.rate[0])
        certificate = None if grown is None else certificate_of(grown, about, witness)
    elif found.mean_dynamics is MeanDynamics.MARGINAL and (null := keys.A.null_vector()) is not None:
        reason = "A has a null vector beyond those of Phi"
        certificate = reduced.certificate("singular", about, {**witness, "vector": strings(null)})
    name = "A" if reduced.is_full else "A on the quotient by its null space"
    return replace(found, reason=reason, matrix=name, certificate=certificate)


def _certificate_on_states(model: Model, inner: Model, states: tuple[int, ...]) -> Certificate | None:
    """sym D(I − M) ≻ 0, a statement without features, as a certificate; None where that was not shown."""
    keys = behaviour_matrices(inner, states)
    try:
        answer = definite_on_states(keys, states)
    except BudgetExceededError:
        return None
    if answer is None or answer.factor is None:
        return None
    about = about_matrix(states, kernel_name(model), matrix="D(I-M)", sign="positive")
    body = {"stationary": strings(keys.d), "factor": answer.factor.as_witness}
    return Certificate("definite", about, body)


def gradient_dynamics(
    model: Model, states: tuple[int, ...], kernel: str | None = None
) -> tuple[ExactDynamics, ExactDynamics]:
    """GTD(λ)-schedule at η = 1 and TDC(λ)-schedule (slow time scale) on one recurrent class.

    ``kernel``: ``"target"`` for the theorem's A; by default the one that the algorithms meet.
    """
    return _gradient_dynamics(model, states, kernel_name(model) if kernel is None else kernel)


@cached(32)
def _gradient_dynamics(model: Model, states: tuple[int, ...], kernel: str) -> tuple[ExactDynamics, ExactDynamics]:
    reduced = reduce_features(model, states)
    names = (MEAN_G, MEAN_SLOW)
    if reduced is None:
        return _vanishing(model, states, names[0]), _vanishing(model, states, names[1])
    inner = reduced.model
    keys = theorem_matrices(inner, states) if kernel == "target" else behaviour_matrices(inner, states)
    A, C = keys.A, keys.C
    witness = {"stationary": strings(keys.d)}
    suffix = "" if reduced.is_full else " on the quotient by the null space of Phi"
    prime = prime_of(keys)
    singular = prime is None
    certificate = None
    if singular:
        null = A.null_vector()
        assert null is not None
        state, reason = MeanDynamics.MARGINAL, "A is singular beyond the null space of Phi, and sym G ≤ 0"
        about = about_matrix(states, kernel, matrix="A")
        certificate = reduced.certificate("singular", about, {**witness, "vector": strings(null)})
    else:
        state = reduced.stable
        reason = "C is positive definite and A nonsingular" + suffix
        body = {**witness, "rank": rank_witness(inner.features, states), "prime": prime}
        certificate = reduced.certificate("gradient_stable", about_matrix(states, kernel), body)
    W, d = reduced.weight, A.shape[0]
    if 2 * d <= TIGHT_RATE_LIMIT:
        G, zero = gtd_matrix(A, C), W.scaled(0)
        gtd_abscissa = spectral_abscissa(
            G if reduced.is_full else W.block(right=zero, below=zero, corner=W) @ G  # on the quotient
        )
        tdc_abscissa = spectral_abscissa(W @ tdc_matrix(A, C))
        rates = ((gtd_abscissa.lower, gtd_abscissa.upper), (tdc_abscissa.lower, tdc_abscissa.upper))
    elif singular:
        rates = ((Fraction(0), Fraction(0)),) * 2
    else:
        rates = gtd_rate(A, C, W), tdc_rate(A, C, W)
    gtd, tdc = (
        Dynamics(state, reason, rate, name + suffix, certificate) for name, rate in zip(names, rates, strict=True)
    )
    return gtd, tdc


def _vanishing(model: Model, states: tuple[int, ...], name: str) -> ExactDynamics:
    """DΦ = 0 on the class."""
    zero = (Fraction(0), Fraction(0))
    reason = "Phi vanishes on the recurrent states: predictions there are zero and nothing moves"
    vanishes: Relation = (its.D @ its.Phi, "=", 0 * its.Phi)
    (certificate,) = decide_relations(model, [vanishes], states=states).certificates
    return Dynamics(MeanDynamics.STABLE_MODULO_NULL_SPACE, reason, zero, name, certificate)
