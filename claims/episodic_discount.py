r"""Discounts that depend on the transition: episodes.

Place: §2–§4, with γP replaced by N = P ∘ Γ, the discount Γ_ss' of each transition.
Statement: telescoping and the forward = backward identity stay true with N_π. On-policy, with λ's in [0,1], sym D(I −
M) is positive definite on a recurrent class exactly if some transition of the class has Γ < 1, whatever the period;
then A < 0 exactly if C > 0. There is no κ: the flip chain with one Γ = 0 and the other 1 has ‖M‖_D = 1 and A < 0.
Hypotheses: on-policy and λ_j ∈ [0,1], for the second sentence. In the first, A and b are those of the actions that μ
takes.
Model: any; each recurrent class on its own.
Check: S(N − I) = M − I; E[δ_t z_t] along all paths of a finite schedule against Aθ + b, as far as paths are few; sym
D(I − M) decided exactly.
Closed form: xᵀD(I − M)x = Σ_n w_n (½ Σ_i d_i x_i² (1 − (Nⁿ1)_i) + ½ Σ_j x_j² (d_j − (dNⁿ)_j) + ½ Σ_ij d_i (Nⁿ)_ij
(x_i − x_j)²).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tdcert.claims.kit import Ablation, Claim, Model, Proof, Reading, proved, proved_for_all, shown
from tdcert.claims.models import SIGNED_LAMBDAS, periodic_models, reducible_models
from tdcert.claims.verdicts import Certificate, Status, Verdict, holds, refuted, undecided
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import (
    about_matrix,
    kernel_name,
    rank_certificate,
    stationary_certificate,
    strings,
)
from tdcert.theory.check.hypotheses import APERIODIC, IRREDUCIBLE, LAMBDAS, ON_POLICY
from tdcert.theory.check.margins import WHOLE_MATRIX_LIMIT
from tdcert.theory.check.mean_dynamics import decide_negative_definite, definite_on_states
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.relations import Relation, decide_relations
from tdcert.theory.forms import DEFINITE_ON_STATES
from tdcert.theory.identities import forms_and_norms, semidefinite
from tdcert.theory.model.gallery import flip_chain, theta_to_two_theta
from tdcert.theory.model.key_matrices import theorem_matrices

PATHS = 400
"""Most paths that are walked for one expectation."""

FORM = replace(DEFINITE_ON_STATES, where=lambda lambdas, gamma: gamma < 1)
"""What is stated where every transition is discounted; where none is, the form is singular."""


def prove() -> Proof:
    """Telescoping for any N, the form of sym D(I − M), and why one discounted transition leaves no null vector."""
    return proved_for_all(
        "telescoping by induction over L for any square N: Γ may depend on the transition",
        shown(forms_and_norms.telescoping_base, forms_and_norms.telescoping_step),
    ) + proved(
        "xᵀD(I − Q)x for free Q = Nⁿ at n = 1 … 4 (row sums ≤ 1 and dQ ≤ d make every term non-negative); and for "
        "every irreducible graph of up to 3 states, every discounted transition, every walk length m ≤ 3 (4 up to "
        "2 states): no null vector is left",
        shown(forms_and_norms.dirichlet_identity, at=(1, 2, 3, 4)),
        shown(semidefinite.discounted_walks_meet_every_component, at=((1, 4), (2, 4), (3, 3))),
    )


def check(model: Model) -> Verdict:
    """The forms_and_norms, and the criterion, on every recurrent class."""
    certificates: list[Certificate] = []
    details: list[str] = []
    theta = [k + 1 for k in range(model.d)]
    for states in model.behaviour_chain.recurrent_classes:
        walked = _backward(model, states)
        for kernel, relations in (("target", _telescoping(model)), (kernel_name(model), walked)):
            if relations:
                proof = decide_relations(model, relations, states=states, kernel=kernel, theta=theta)
                if proof.status is not Status.HOLDS:
                    return proof
                certificates += proof.certificates
        verdict = _criterion(model, states)
        if verdict.status is not Status.HOLDS:
            return verdict
        certificates += [*verdict.certificates, stationary_certificate(model.behaviour_chain, states)]
        details.append(verdict.detail + ("; E[δz] = Aθ + b along every path" if walked else ""))
    return holds("; ".join(dict.fromkeys(details)), by=certificates)


def _telescoping(model: Model) -> list[Relation]:
    """S(N − I) = M − I."""
    if model.n > WHOLE_MATRIX_LIMIT:
        return []
    return [(("@", "S", ("-", "N", "I")), "=", ("-", "M", "I"))]


def _backward(model: Model, states: tuple[int, ...]) -> list[Relation]:
    """E[δ_t z_t] at t = L, the paths started from the law; none where they are many or the schedule has no end."""
    length = model.schedule.length
    if length is None or count_paths(model, states, length + 1) > PATHS:
        return []
    increment = ("*", f"delta:{length}", f"zrho:{length}")
    return [(("E", "mu", "d", length + 1, increment), "=", ("+", ("@", "A", "theta"), "b"))]


def count_paths(model: Model, states: tuple[int, ...], steps: int) -> int:
    """How many paths (s_0, a_0, s_1, …) of the behaviour policy start in these states."""
    ways = dict.fromkeys(states, 1)
    moves = [
        [
            j
            for a, mu in enumerate(model.behaviour.rows[s])
            if mu
            for j, p in enumerate(model.transitions[a].rows[s])
            if p
        ]
        for s in range(model.n)
    ]
    for _ in range(steps):
        longer: dict[int, int] = {}
        for s, count in ways.items():
            for j in moves[s]:
                longer[j] = longer.get(j, 0) + count
        ways = longer
    return sum(ways.values())


def _criterion(model: Model, states: tuple[int, ...]) -> Verdict:
    """sym D(I − M) positive definite exactly if a transition of the class is discounted.

    Then A < 0 exactly if C > 0.
    """
    keys, kernel = theorem_matrices(model, states), model.target_kernel
    ones = RationalMatrix.column([1] * model.n)
    survive = (kernel.N @ ones).take(rows=states)
    discounted = any(x < 1 for x in survive.column_entries())
    try:
        answer = definite_on_states(keys, states)
    except BudgetExceededError as error:
        return undecided(str(error))
    about = about_matrix(states, "target", matrix="D(I-M)", sign="positive")
    witness = {"stationary": strings(keys.d)}
    if answer is None:
        negative, reason, kept_A = decide_negative_definite(model, states, "target")
        shown = {"class": ", ".join(str(s + 1) for s in states), "A": reason}
        certificates = () if negative is not False or kept_A is None else (kept_A,)
        return refuted("the target policy leaves the class", shown, by=certificates)
    if answer.vector is not None:
        kept = Certificate("not_definite", about, {**witness, "vector": strings(answer.vector)})
        if discounted:
            shown = {"x": "(" + ", ".join(strings(answer.vector)) + ")"}
            detail = "a transition is discounted, but xᵀD(I − M)x ≤ 0 for an x ≠ 0"
            return refuted(detail, shown, by=[kept])
        return holds("no transition is discounted, and sym D(I − M) is singular", by=[kept])
    assert answer.factor is not None
    definite = Certificate("definite", about, {**witness, "factor": answer.factor.as_witness})
    if not discounted:
        detail = "sym D(I − M) is positive definite without a discount"
        return refuted(detail, {"M1": "1"}, by=[definite])
    rank = rank_certificate(model.features, states)
    negative, reason, kept_A = decide_negative_definite(model, states, "target")
    if negative is None:
        return undecided(reason)
    assert kept_A is not None
    if negative != (rank.kind == "full_column_rank"):
        return refuted(f"sym D(I − M) > 0, and {reason}", {"rank": rank.kind}, by=[kept_A])
    detail = "a transition is discounted, sym D(I − M) > 0, and A < 0 exactly if C > 0"
    return holds(detail, by=[definite, rank, kept_A])


def one_end() -> Model:
    """The flip chain with Γ = 1 one way and 0 the other: ‖M‖_D = 1 and A < 0."""
    return flip_chain(RationalMatrix([[0, 1], [0, 0]]))


CLAIM = Claim(
    id="episodic_discount",
    stated=Reading(
        r"With $N = P \circ \Gamma$ in the place of $\gamma P$: $S (N - I) = M - I$ and $E_\mu[\delta_t z_t] = A\theta "
        r"+ b$. On-policy, $\frac12 (D(I - M) + (I - M)^T D)$ is positive definite on a recurrent class iff some "
        r"transition of the class has $\Gamma < 1$; then $A$ is negative definite iff $C$ is positive definite."
    ),
    anchors=(r"and thus $A = \Phi^TD(M-I)\Phi$", r"\label{propND}"),
    form=FORM,
    form_is_part=True,
    check=check,
    prove=prove,
    ablations=(
        Ablation(ON_POLICY, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
        Ablation(IRREDUCIBLE, supports=reducible_models, note="each recurrent class on its own"),
        Ablation(APERIODIC, supports=lambda: (*periodic_models(), one_end()), note="any period"),
    ),
    notes=(
        "With several discounts κ has no meaning of its own. Taken for the largest discount, m_contraction, "
        "negative_margin and error_bound stay true, but say nothing once that is one; sharp_modulus fails.",
    ),
    rests_on=("telescoping",),
)
