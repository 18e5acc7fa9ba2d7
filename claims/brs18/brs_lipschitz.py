r"""How fast ζ_t changes with θ.

Note: the draft, which is unfinished, has 2G in its lemma mc_noise_bd; 2G = 2r_max + 4R is one if ‖M‖ ≤ 4/3, and 6G
always.
Hypotheses: ‖φ(s)‖ ≤ 1; A nonsingular.
Model: any with one feature; R = ‖θ*‖.
Check: the largest |ζ'| over −R ≤ θ ≤ R and all moves, against 2r_max + 3‖M‖R.
Closed form: ζ' = 2Mθ − Mθ* + (b(X) − E b(X)), at its largest at θ = ±R.
Proof: the derivative, and ‖b(X)‖ ≤ r_max.
"""

from tdcert.claims import kit
from tdcert.claims.brs18.projected import UNIT_FEATURES, models, rarely_turning, spread
from tdcert.claims.kit import DISCOUNTED, ON_POLICY, Fraction, Grade, LinearTD, Model, Status, Verdict, free, where
from tdcert.theory.check.hypotheses import UNIQUE_LAW


def derivative() -> bool:
    """(ζ(θ + h) − ζ(θ))/h = 2Mθ − Mθ* + c + Mh for ζ(θ) = (Mθ + c)(θ − θ*)."""
    _, M, c, x, star, h = free(m=(), c=(), x=(), s=(), h=())
    before, after = (M * x + c) * (x - star), (M * (x + h) + c) * (x + h - star)
    return bool(after - before == h * (2 * M * x - M * star + c + M * h))


def largest(td: LinearTD) -> tuple[Fraction, Fraction, Fraction]:
    """The largest |ζ'| on |θ| ≤ R = ‖θ*‖, then 2r_max + 3‖M‖R, then 2G."""
    star = td.target[0, 0]
    R, mean = abs(star), -(td.A @ td.target)[0, 0]
    slopes = [
        abs(2 * (K[0, 0] - td.A[0, 0]) * end - (K[0, 0] - td.A[0, 0]) * star + K[0, 1] - mean)
        for _, _, _, K in td.moves
        for end in (-R, R)
    ]
    return max(slopes), 2 * td.r_max + 3 * spread(td) * R, 2 * (td.r_max + 2 * R)


def check(model: Model) -> Verdict:
    found, bound, _ = largest(LinearTD(model))
    return against(found, bound)


def against(found: Fraction, bound: Fraction) -> Verdict:
    """Exact numbers, without a certificate."""
    said = f"the largest |ζ'| on |θ| ≤ ‖θ*‖ is {float(found):.4g}, against {float(bound):.4g}"
    witness = {"largest |ζ'|": str(found), "bound": str(bound)}
    return Verdict(Status.HOLDS if found <= bound else Status.REFUTED, Grade.ENCLOSED, said, witness)


def tenfold() -> Model:
    """Two states that alternate, φ = 10 in both: b(X) is 10 or 0."""
    return kit.flip_chain(features=((10,), (10,)))


def at_two_G() -> kit.Refutation:
    """The rarely turning chain: M = −2γ·99/100 at a turn."""
    model = rarely_turning()
    found, _, printed = largest(LinearTD(model))
    return kit.Refutation(against(found, printed), model)


CLAIM = kit.Claim(
    id="brs_lipschitz",
    stated=kit.Reading(
        r"$\zeta(\theta) = (g(\theta) - \bar g(\theta))^\top(\theta - \theta^*)$ has the Lipschitz constant "
        r"$2r_{\max} + 3\|M\|R$ on $\|\theta\| \le R$, $M = A(X) - E A(X)$, for $R \ge \|\theta^*\|$."
    ),
    check=where(check, kit.ONE_FEATURE, ON_POLICY, UNIQUE_LAW, DISCOUNTED, kit.C_POSITIVE),
    prove=kit.proof_for_all(
        "ζ' = 2Mθ − Mθ* + (b(X) − E b(X)), of at most 2‖M‖R + ‖M‖R + 2r_max; ‖M‖ ≤ 2(1 + γ) ≤ 4 gives 6G", derivative
    ),
    instances=models,
    variant=kit.FalseVariant("2G = 2r_max + 4R is a Lipschitz constant for every model.", at_two_G),
    ablations=(kit.Ablation(UNIT_FEATURES.at("the draft's Assumption 1"), counterexample=tenfold),),
)
