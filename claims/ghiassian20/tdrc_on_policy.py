r"""TDRC on-policy is stable at every β ≥ 0 and every ratio η > 0 of its steps, on one time scale.

Model: any, its schedule apart; each recurrent class on its own.
Check: H ⪰ 0, C ≻ 0 and det A ≠ 0, from which it follows; where one fails, a β and an η at which J is not Hurwitz.
Closed form: J(x, y) = z(x, y) gives (z² + z(ηβ + ηC + A) + η(βA + AAᵀ))y = 0. With y*y = 1, y*Cy = c, y*Ay = h + im and
|Aᵀy|² = u, z² + (p + iq)z + r + is = 0, and p²r + pqs − s² = η(p²(βh + u) + βm²(ηc + h)) > 0, p = ηβ + ηc + h > 0.
Proof: no root meets the imaginary axis while p and the criterion are positive; those of z² + pz + r lie to its left.
"""

from itertools import product

from tdcert.claims import kit, models
from tdcert.claims.ghiassian20.tdrc import NONSINGULAR, A, joint
from tdcert.claims.kit import Fraction, Model, Status, Verdict, decide_definite, free, its, theta_to_two_theta, together


def elimination_identity(d: int) -> bool:
    """With zx = (z/η + β + Aᵀ)y, which is the second row over η less the first, z times the first row is the pencil."""
    _, A, C, y, z, beta, eta = free(a=(d, d), c=(d, d), y=(d, 1), z=(), b=(), e=())
    zx = y.scaled(z / eta + beta) + A.T @ y
    first = (A @ zx).scaled(-1) - ((C - A.T) @ y).scaled(z) - zx.scaled(z)
    pencil = y.scaled(z * z) + (y.scaled(eta * beta) + (C @ y).scaled(eta) + A @ y).scaled(z)
    pencil = pencil + ((A @ y).scaled(beta) + A @ A.T @ y).scaled(eta)
    return bool((first.scaled(eta) + pencil).is_zero())


def criterion_identity() -> bool:
    """p²r + pqs − s² with the values of the closed form."""
    _, beta, eta, c, h, m, u = free(b=(), e=(), c=(), h=(), m=(), u=())
    p, q, r, s = eta * beta + eta * c + h, m, eta * (beta * h + u), eta * beta * m
    return bool(p * p * r + p * q * s - s * s == eta * (p * p * (beta * h + u) + beta * m * m * (eta * c + h)))


def axis_identity() -> bool:
    """At z = iω with pω = −s, where the imaginary part of the quadratic is zero, p² times the real one is its negative
    counterpart: p²r + pqs − s².
    """
    _, p, q, r, s = free(p=(), q=(), r=(), s=())
    omega = -s / p
    return bool(p * p * (r - q * omega - omega * omega) == p * p * r + p * q * s - s * s)


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    if (flat := kit.singular(model, states, A, "Ax = 0: J is singular")) is not None:
        return flat
    psd = decide_definite(model, A, states, "H ⪰ 0", strict=False)
    gram = decide_definite(model, its.C, states, "C ≻ 0")
    if psd.status is gram.status is Status.HOLDS:
        return together((psd, gram), "H ⪰ 0, C ≻ 0 and A nonsingular: J is Hurwitz for all β ≥ 0, η > 0")
    for beta, eta in product((Fraction(1), Fraction(10)), repeat=2):
        found = kit.decide_hurwitz(model, joint(model, beta, eta), states, f"J is Hurwitz at β = {beta}, η = {eta}")
        if found.status is Status.REFUTED:
            return found
    return kit.undecided("H is not semidefinite, and J is Hurwitz where it was looked at")


def off_policy() -> kit.Refutation:
    """θ→2θ, γ = 9/10: A = −1/5."""
    return kit.on(theta_to_two_theta(Fraction(9, 10)), check)


CLAIM = kit.Claim(
    id="tdrc_on_policy",
    stated=kit.Reading(
        r"On-policy, with $C \succ 0$ and a discounted transition in every recurrent class, TDRC's joint mean matrix "
        r"is Hurwitz for all $\beta \ge 0$ and every ratio $\eta > 0$ of its steps."
    ),
    check=check,
    prove=lambda: kit.proved(
        "the elimination of x, symbolic A, C, y, z, β, η, d = 1 … 3; the criterion p²r + pqs − s² > 0 of the quadratic "
        "and its value; −H ⪯ 0 on-policy, and u > 0 as A is nonsingular",
        kit.shown(elimination_identity, at=(1, 2, 3)),
        kit.shown(criterion_identity, axis_identity),
    ),
    variant=kit.FalseVariant("It is so off-policy wherever A is nonsingular.", off_policy),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("our own"), counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        kit.Ablation(kit.DISCOUNTED.at("our own"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, NONSINGULAR)),
    ),
    notes=("Off-policy the same proof shows it wherever ηC + H ⪰ 0 and βH + AAᵀ ≻ 0, β > 0.",),
)
