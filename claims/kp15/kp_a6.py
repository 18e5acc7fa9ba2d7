r"""(A6): the mixing condition.

Where: E[·] is of rφ and of each φ(s_τ)φ(s_{τ+m})ᵀ, m ≥ 0.
Hypotheses: irreducible, aperiodic; bounded features and rewards.
Model: one feature, at the c_0 and c of ``rates``.
Check: an upper bound of the series, its tail by a geometric one, in balls.
Closed form: Σ_{j<τ}γ_j ≤ c_0c log(1 + τ/c), so the weights grow like a power of τ, and the norms fall like mρ^τ.
"""

from tdcert.claims import kit
from tdcert.claims.bounds import shown as digits
from tdcert.claims.kit import Grade, Model, Status, Verdict, fast_chain, flip_chain, free, slow_chain, undecided, where
from tdcert.claims.kp15.rates import CONDITIONS, Rates


def ratio_identity() -> bool:
    """(c + τ + 1)/(c + τ) = 1 + 1/(c + τ), so neighbouring weights have a ratio that tends to 1."""
    _, c, t = free(c=(), t=())
    return bool((c + t + 1) - (c + t) == 0 * c + 1)


def check(model: Model) -> Verdict:
    B = Rates.of(model).B
    if not B.is_finite():
        return undecided("the balls of the series are too wide; raise the bits")
    return Verdict(Status.HOLDS, Grade.ENCLOSED, f"the series is at most {digits(B)}", {"B": digits(B)})


def with_a_period() -> kit.Refutation:
    """Two states that alternate: the mean of r(s_τ) given s_0 is 0 or 1 for ever, and every term is at least ½."""
    model = flip_chain()
    P, law = model.behaviour_chain.P, model.behaviour_chain.stationary_law((0, 1))
    kept = (P @ P).rows == P.identity(2).rows and P.rows[0][0] != law[0, 0]
    detail = "P² = I, so ‖E[r(s_τ)φ(s_τ) | s_0] − E_Ψ[rφ]‖ = ½ for every τ: the series has no bound"
    return kit.Refutation(Verdict(Status.REFUTED, Grade.ENCLOSED, detail) if kept else undecided("P² is not I"), model)


CLAIM = kit.Claim(
    id="kp_a6",
    stated=kit.Reading(
        r"A finite irreducible aperiodic chain satisfies (A6) for $\gamma_n = \frac{c_0 c}{c+n}$: $\sum_\tau "
        r"e^{3(1+\beta)\sum_{j<\tau}\gamma_j}\|E[\cdot|s_0] - E_\Psi[\cdot]\| \le B(s_0)$.",
        quote="For finite state space settings, the above condition holds and hence (A7) is easily satisfied",
        place="§3.1, Remark 1",
    ),
    check=where(check, *CONDITIONS),
    prove=lambda: kit.proved_for_all(
        "w_{τ+1}/w_τ = e^{3(1+β)γ_τ} → 1 and ‖E[· | s_0] − E_Ψ‖ ≤ 2mρ^τ max‖·‖ with ρ < 1: the ratio of the bounds of "
        "neighbouring terms tends to ρ",
        kit.shown(ratio_identity),
    ),
    instances=lambda: (fast_chain(), slow_chain()),
    variant=kit.FalseVariant("It does so without being aperiodic.", with_a_period),
    notes=(
        "Read with Σγ_j, the index of the sum; Σγ_τ is printed. Remark 1 speaks of “(A7)”, which is not in the paper; "
        "(A6) is read.",
    ),
)
