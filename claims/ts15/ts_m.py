r"""The truncation m grows with λ.

Note: it is read in the weak sense.
Hypotheses: n ≥ 3, 0 < λγ < 1.
Model: any, with its largest discount γ (½ where that is 0); λ = 1/10, 2/10 … 9/10, n = 3, 10, 100.
Check: each m by (n − 1)(λγ)^m ≤ 1 < (n − 1)(λγ)^{m−1}, and m at λ against m at the next λ.
Closed form: m is the least integer with (n − 1)(λγ)^m ≤ 1, and (λγ)^m increases with λ.
Proof: what m satisfies at the larger λ, it satisfies at the smaller one.
"""

import itertools

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Name, Relation, Verdict, decide_relations, free, one_state
from tdcert.theory.identities.step_noise import has_no_negative_coefficient

LAMBDAS = tuple(Fraction(k, 10) for k in range(1, 10))
SAMPLES = (3, 10, 100)


def truncation(n: int, factor: Fraction) -> int:
    """m: the least integer with (n − 1)·factorᵐ ≤ 1."""
    m = 0
    while (n - 1) * factor**m > 1:
        m += 1
    return m


def powers_grow(m: int) -> bool:
    """(x + h)ᵐ − xᵐ has no negative coefficient, x and h free: it is not negative for x, h ≥ 0."""
    _, x, h = free(x=(), h=())
    return has_no_negative_coefficient((x + h) ** m - x**m)


def ordered(model: Model, sign: str, samples: tuple[int, ...]) -> Verdict:
    """Whether m at each λ is in that relation to m at the next."""
    gamma = max(model.recurrent_discounts) or HALF
    relations: list[Relation] = []
    for n in samples:
        found = [truncation(n, lam * gamma) for lam in LAMBDAS]
        for lam, m in zip(LAMBDAS, found, strict=True):
            power = [Name(n - 1) * Name(lam * gamma) ** k for k in (m, m - 1)]
            relations += [(power[0], "<=", Name(1)), (Name(1), "<", power[1])]
        relations += [(Name(m), sign, Name(later)) for m, later in itertools.pairwise(found)]
    found_one = decide_relations(model, relations, detail=f"m at λ = 1/10 … 9/10, n = {', '.join(map(str, samples))}")
    return kit.in_words(found_one, "m does not increase", "m", "m at the next λ")


def strictly() -> kit.Refutation:
    """γ = ½, n = 3: m = 1 at λ = 1/10 and at 1/5."""
    return kit.on(one_state(HALF), ordered, "<", (3,))


CLAIM = kit.Claim(
    id="ts_m",
    stated=kit.Reading(
        r"$\lambda \mapsto m_n^\lambda = \lceil \log(n-1) / \log\frac{1}{\lambda\gamma} \rceil$ is increasing "
        r"(does not fall).",
        quote=r"since $\lambda \mapsto m_n^\lambda$ is increasing, the rate of convergence deteriorates",
        place="§3, after Theorem 1",
    ),
    anchors=("is increasing, the rate of convergence deteriorates when λ increases",),
    check=lambda model: ordered(model, "<=", SAMPLES),
    prove=lambda: kit.proved(
        "(x + h)ᵐ ≥ xᵐ for x, h ≥ 0, by its coefficients, m = 1 … 8: the least m does not fall as λ grows",
        kit.shown(powers_grow, at=range(1, 9)),
    ),
    variant=kit.FalseVariant("It increases strictly.", strictly),
    notes=("It is read in the weak sense, as a number of steps is constant on stretches of λ.",),
)
