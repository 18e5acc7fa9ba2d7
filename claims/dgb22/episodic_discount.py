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

from collections.abc import Iterator
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import Fraction, Model, RationalMatrix, Relation, States, Status, Verdict, holds, its, refuted
from tdcert.claims.verdicts import definite_or_not
from tdcert.theory.certificate.bodies import kernel_name, rank_certificate, strings
from tdcert.theory.check.margins import WHOLE_MATRIX_LIMIT
from tdcert.theory.check.mean_dynamics import decide_negative_definite, definite_on_states
from tdcert.theory.forms import DEFINITE_ON_STATES
from tdcert.theory.identities import forms_and_norms, semidefinite
from tdcert.theory.model.key_matrices import theorem_matrices

PATHS = 400
"""Most paths that are walked for one expectation."""

FORM = replace(DEFINITE_ON_STATES, where=lambda lambdas, gamma: gamma < 1)
"""What is stated where every transition is discounted; where none is, the form is singular."""


def prove() -> kit.Proof:
    """Telescoping for any N, the form of sym D(I − M), and why one discounted transition leaves no null vector."""
    return kit.proved_for_all(
        "telescoping by induction over L for any square N: Γ may depend on the transition",
        kit.shown(forms_and_norms.telescoping_base, forms_and_norms.telescoping_step),
    ) + kit.proved(
        "xᵀD(I − Q)x for free Q = Nⁿ at n = 1 … 4 (row sums ≤ 1 and dQ ≤ d make every term non-negative); and for "
        "every irreducible graph of up to 3 states, every discounted transition, every walk length m ≤ 3 (4 up to "
        "2 states): no null vector is left",
        kit.shown(forms_and_norms.dirichlet_identity, at=(1, 2, 3, 4)),
        kit.shown(semidefinite.discounted_walks_meet_every_component, at=((1, 4), (2, 4), (3, 3))),
    )


def check(model: Model) -> Verdict:
    """Telescoping, the backward view, and the criterion, on every recurrent class."""
    theta = [k + 1 for k in range(model.d)]

    def parts(states: States, walked: list[Relation]) -> Iterator[Verdict]:
        for kernel, relations in (("target", _telescoping(model)), (kernel_name(model), walked)):
            if relations:
                yield kit.decide_relations(model, relations, states=states, kernel=kernel, theta=theta)

    def decide(states: States) -> Verdict:
        walked = _backward(model, states)
        found = kit.together(parts(states, walked), "S(N − I) = M − I")
        if found.status is not Status.HOLDS:
            return found
        verdict = _criterion(model, states)
        detail = verdict.detail + ("; E[δz] = Aθ + b along every path" if walked else "")
        if verdict.status is not Status.HOLDS:
            return verdict
        return holds(detail, by=[*found.certificates, *verdict.certificates])

    return kit.on_each_class(decide, model, with_law=True)


def _telescoping(model: Model) -> list[Relation]:
    """S(N − I) = M − I."""
    if model.n > WHOLE_MATRIX_LIMIT:
        return []
    return [(its.S @ (its.N - its.I), "=", its.M - its.I)]


def _backward(model: Model, states: kit.States) -> list[Relation]:
    """E[δ_t z_t] at t = L, the paths started from the law; none where they are many or the schedule has no end."""
    length = model.schedule.length
    if length is None or count_paths(model, states, length + 1) > PATHS:
        return []
    increment = its.delta(length) * its.z_rho(length)
    return [(kit.expected("mu", "d", length + 1, increment), "=", its.A @ its.theta + its.b)]


def count_paths(model: Model, states: kit.States, steps: int) -> int:
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


def _criterion(model: Model, states: kit.States) -> Verdict:
    """sym D(I − M) positive definite exactly if a transition of the class is discounted; then A < 0 iff C > 0."""
    keys = theorem_matrices(model, states)
    survive = model.target_kernel.N @ RationalMatrix.column([1] * model.n)
    discounted = any(x < 1 for x in survive.take(rows=states).column_entries())
    answer = definite_on_states(keys, states)
    negative, reason, kept_A = decide_negative_definite(model, states, "target")
    if answer is None:
        place = {"class": ", ".join(f"s{s}" for s in states), "A": reason}
        return refuted("the target policy leaves the class", place, by=[kept_A if negative is False else None])
    kept = definite_or_not(keys, states, answer)
    if answer.vector is not None:
        if discounted:
            x = {"x": "(" + ", ".join(strings(answer.vector)) + ")"}
            return refuted("a transition is discounted, but xᵀD(I − M)x ≤ 0 for an x ≠ 0", x, by=[kept])
        return holds("no transition is discounted, and sym D(I − M) is singular", by=[kept])
    if not discounted:
        return refuted("sym D(I − M) is positive definite without a discount", {"M1": "1"}, by=[kept])
    rank = rank_certificate(model.features, states)
    if negative is None:
        return kit.undecided(reason)
    if negative != (rank.kind == "full_column_rank"):
        return refuted(f"sym D(I − M) > 0, and {reason}", {"rank": rank.kind}, by=[kept_A])
    detail = "a transition is discounted, sym D(I − M) > 0, and A < 0 exactly if C > 0"
    return holds(detail, by=[kept, rank, kept_A])


def one_end() -> Model:
    """The flip chain with Γ = 1 one way and 0 the other: ‖M‖_D = 1 and A < 0."""
    return kit.flip_chain(RationalMatrix([[0, 1], [0, 0]]))


CLAIM = kit.Claim(
    id="episodic_discount",
    stated=kit.Reading(
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
        kit.Ablation(kit.ON_POLICY, counterexample=lambda: kit.theta_to_two_theta(Fraction(9, 10))),
        kit.Ablation(kit.LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(kit.IRREDUCIBLE, supports=models.reducible_models, note="each recurrent class on its own"),
        kit.Ablation(kit.APERIODIC, supports=lambda: (*models.periodic_models(), one_end()), note="any period"),
    ),
    notes=(
        "With several discounts κ has no meaning of its own. Taken for the largest discount, m_contraction, "
        "negative_margin and error_bound stay true, but say nothing once that is one; sharp_modulus fails.",
    ),
    rests_on=("telescoping",),
)
