r"""What the statements about gradient TD share: A and C as the algorithms meet them, with λ = 0, and the joint matrix.

(θ, w)' = [[0, −Aᵀ], [ηA, −ηK]](θ, w) + …, K = I for GTD and C for GTD2, with β = ηα. In (w/√η, θ) it is √η times
[[−√ηK, A], [−Aᵀ, 0]], whose form is −√η wᵀKw (:func:`~tdcert.theory.identities.forms_and_norms.saddle_form_identity`).
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import Context, Expression, Fraction, Model, Name, Reply, States, Verdict, blocks, its, literal
from tdcert.claims.means import decide_mean, seen
from tdcert.theory.check.stability import spectral_abscissa

MET = "covered"
"""The kernel of what updates meet: actions that the behaviour never takes are left out."""
A: Expression = its.Phi.T @ its.D @ (its.N - kit.diagonal(its.q)) @ its.Phi
C: Expression = its.C
RATIOS = (Fraction(1, 4), Fraction(4))
"""η = β/α at which models are asked; the proof has every η > 0."""
FEATURES = 3
"""Up to so many features a form is written down that falls."""


@kit.each_class
def decide_joint(model: Model, states: States, algorithm: str, K: Expression) -> Verdict:
    """Whether the joint mean matrix that the algorithm's updates see is that of K, and Hurwitz, on every class."""
    found = []
    for eta in RATIOS:
        B = blocks([[0, -A.T], [Name(eta) * A, Name(-eta) * K if isinstance(K, tuple) else -eta * K]], model.d)
        J = seen(model, named(algorithm), states, ratios=(1, eta))
        found += [decide_mean(model, J, B, states, "the joint mean matrix", MET), decide_saddle(model, J, states)]
    return kit.together(found, "the joint mean matrix is Hurwitz")


def decide_saddle(model: Model, J: kit.RationalMatrix, states: States) -> Verdict:
    """Whether J = [[0, −Aᵀ], [ηA, −ηK]] (2d×2d), K ⪰ 0, is Hurwitz. Of many features the certificate says AᵀA ≻ 0, from
    which it follows where Kx = 0 gives Aᵀx = 0.
    """
    d = model.d
    if d <= FEATURES or spectral_abscissa(J, bits=8).sign >= 0:
        return kit.decide_hurwitz(model, literal(J), states, "the joint mean matrix", kernel=MET)
    met = J.take(rows=range(d, 2 * d), columns=range(d))
    return kit.decide_definite(model, literal(met.T @ met), states, "AᵀA ≻ 0", kernel=MET)


@kit.hypothesis("A_nonsingular", r"$A = E[\rho\phi(\gamma\phi' - \phi)^\top]$ is nonsingular", "as remembered")
def NONSINGULAR(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        if kit.evaluate(A, Context(model, states, MET)).rank < model.d:
            return Reply(False, "A is singular")
    return Reply(True, "A is nonsingular on every recurrent class")


ANY_CHAIN = models.any_chain(NONSINGULAR)
"""What no statement needs."""
