r"""Proposition 3: scaled rotations have no universal step.

Where: ROT(2, B) holds the A = [[u, v], [−v, u]] with u > 0, u² + v² ≤ B.
Model: one with two features whose −A is a scaled rotation, λ as it has; each recurrent class on its own.
Check: ρ² = det(I − αA) = (1 − αu)² + α²v² < 1 + α²(u² + v²), at three steps.
Closed form: ρ² = 1 + α²B − 2αu − α²(B − u² − v²), so the supremum is reached for u → 0, v² → B.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, RationalMatrix, Reply, Verdict, entry_of, its

STEPS = (Fraction(1, 2), Fraction(1), Fraction(5, 2))


@kit.hypothesis("scaled_rotation", r"$A = [[u, v], [-v, u]]$ with $u > 0$", "§4, ROT(2, B)")
def ROTATION(model: Model) -> Reply:
    if model.d != 2:
        return Reply(False, f"A is {model.d}×{model.d}")
    for states in model.behaviour_chain.recurrent_classes:
        A = kit.evaluate(its.A, kit.Context(model, states))
        if A[0, 0] != A[1, 1] or A[0, 1] != -A[1, 0] or A[0, 0] >= 0:
            return Reply(False, f"A = {A.to_strings()}: −A is not a scaled rotation with u > 0")
    return Reply(True, "−A is a scaled rotation")


def radius_identity() -> bool:
    """det(I − αA) = 1 + α²B − 2αu − α²(B − u² − v²), all free; the eigenvalues are 1 − αu ± iαv."""
    _, u, v, alpha, B = kit.free(u=(), v=(), a=(), b=())
    left = (1 - alpha * u) * (1 - alpha * u) + alpha * v * alpha * v
    return bool(left == 1 + alpha**2 * B - 2 * alpha * u - alpha**2 * (B - u**2 - v**2))


def squared_radius(alpha: Name) -> Expression:
    """det(I − αA) of the paper's A, which is −A here: ρ² where it is a scaled rotation."""
    u, v = -entry_of(its.A, 0, 0), -entry_of(its.A, 0, 1)
    w, z = -entry_of(its.A, 1, 0), -entry_of(its.A, 1, 1)
    return (1 - alpha * u) * (1 - alpha * z) - alpha * v * (alpha * w)


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    u, v = -entry_of(its.A, 0, 0), -entry_of(its.A, 0, 1)
    relations = list[kit.Relation]()
    for alpha in map(Name, STEPS):
        relations.append((squared_radius(alpha), "=", (1 - alpha * u) ** 2 + (alpha * v) ** 2))
        relations.append((squared_radius(alpha), "<", 1 + alpha**2 * its_square()))
    return kit.decide_relations(model, relations, states=states, detail="ρ² = (1 − αu)² + α²v² < 1 + α²(u² + v²)")


def four_corners(gamma: Fraction = HALF) -> Model:
    """Four states that follow each other, each feature vector turned by a right angle: −A = ½[[1, γ], [−γ, 1]]."""
    P = RationalMatrix([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]])
    Phi = RationalMatrix([[1, 0], [0, 1], [-1, 0], [0, -1]])
    return Model.reward_process(P, RationalMatrix.zeros(4, 1), gamma, Phi, name="four corners")


def judge_stated() -> kit.Refutation:
    """u = ½, v = 9/20, B = u² + v² = 181/400, α = 5: ρ² = 117/16, above (1 + B)² = 337561/160000."""
    B = its_square()
    words = "at α = 5, u = ½, v = 9/20, B = u² + v² = 181/400: ρ² = (1 − αu)² + α²v²"
    return exceeded(Name(5), (1 + B) ** 2, words, "(1 + B)²")


def nine_tenths() -> kit.Refutation:
    """u = ½, v = 9/20, α = 25: ρ² = 4141/16, above 1 + (9/10)α²B = 8177/32."""
    alpha = Name(25)
    return exceeded(alpha, 1 + Name(Fraction(9, 10)) * alpha**2 * its_square(), "at α = 25", "1 + (9/10)α²B")


def its_square() -> Expression:
    """u² + v²."""
    return entry_of(its.A, 0, 0) ** 2 + entry_of(its.A, 0, 1) ** 2


def exceeded(alpha: Name, square: Expression, where: str, name: str) -> kit.Refutation:
    """A supremum whose square is below ρ² of one scaled rotation."""
    model = four_corners(Fraction(9, 10))
    radius = squared_radius(alpha)
    return kit.explained(kit.decide_relations(model, [(radius, "<=", square)]), model, where, "ρ²", name)


CLAIM = kit.Claim(
    id="ls_prop3",
    stated=kit.Reading(
        r"For any $\alpha > 0$, $B > 0$, $\sup_{P \in ROT(2,B)} \rho(I - \alpha A_P) = 1 + B > 1$.",
        quote=r"$\sup_{P \in ROT(2,B)} \rho(I - \alpha A_P) = 1 + B > 1$",
        place="§4, Proposition 3",
    ),
    corrected=kit.Reading(
        r"For any $\alpha > 0$, $B > 0$, $\sup_{P \in ROT(2,B)} \rho(I - \alpha A_P) = \sqrt{1 + \alpha^2 B} > 1$, "
        r"which is not attained."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=("Proposition 3", "ρ(I − αA) = (1 − αu)² + v²"),
    check=check,
    prove=lambda: kit.proved(
        "ρ² = (1 − αu)² + α²v² = 1 + α²B − 2αu − α²(B − u² − v²), symbolic u, v, α, B: below 1 + α²B for u > 0 and "
        "u² + v² ≤ B, and as near as wished",
        kit.shown(radius_identity),
    ),
    instances=lambda: (four_corners(), four_corners(Fraction(9, 10))),
    variant=kit.FalseVariant("The supremum is √(1 + (9/10)α²B).", nine_tenths),
    ablations=(kit.Ablation(ROTATION, counterexample=lambda: kit.flip_chain(HALF, features=((1, 0), (0, 1)))),),
    notes=(
        "The printed proof has ρ(I − αA) = (1 − αu)² + v², without the root and the α. That no step is universal "
        "follows all the same.",
    ),
)
