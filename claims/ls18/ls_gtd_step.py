r"""Theorem 5(ii): the step 1/(2B²d) of averaged GTD.

Where: A_t = φ_t(φ_t − γφ'_t)ᵀ with E A_t nonsingular, and x' = x + α(g_t − H_tx), x = (y, θ), H = [[I, A], [−(1 − α)Aᵀ,
αAᵀA]] (Table 1). The proof is in App. C.
Note: it is false at d = 8.
Hypotheses: independent pairs; E A_t nonsingular.
Model: any, its pairs (φ, φ') under the behaviour policy; B is the largest entry of A_t in absolute value.
Check: α(1 + ‖φ‖²‖φ − γφ'‖²) < 2 for every pair, with α = 19/10 of 1/(1 + B²d²), and E A_t is nonsingular.
Closed form: H + Hᵀ − αHᵀH is, for a singular value √q of A, [[2 − α − α(1 − α)²q, α²(1 − α)q√q], [·, αq − α³q²]], of
determinant αq(2 − α − αq). So it is semidefinite for α(1 + q) ≤ 2, and q ≤ B²d² (ls_lemma11).
"""

from dataclasses import replace
from itertools import product

from tdcert.claims import kit, models
from tdcert.claims.kit import Context, Expression, Fraction, Model, Name, Relation, Reply, Verdict, evaluate, its
from tdcert.claims.ls18.ls_lemma11 import all_ones
from tdcert.claims.ls18.ls_td_step import update

MEAN: Expression = kit.expected("mu", "d", 1, update())
"""E A_t over independent pairs from the law."""
BELOW = Fraction(19, 10)
"""The multiple of 1/(1 + B²d²) that is checked."""
D, ALPHA = 8, Fraction(1, 16)
"""The dimension of the counterexample, and 1/(2B²d) for B = 1."""
RARE = Fraction(1, 1024)
LAW = {1: Fraction(65, 128) * (1 - RARE), -1: Fraction(63, 128) * (1 - RARE), 0: RARE}
"""Probabilities of A_t = h_1h_1ᵀ, −h_1h_1ᵀ, and one of h_2h_2ᵀ … h_8h_8ᵀ, evenly; h_j orthogonal, entries ±1."""
GROWTH = Fraction(1001, 1000)
GROWING = [[Fraction(1276, 1000), Fraction(-1, 100)], [Fraction(-1, 100), Fraction(724, 1000)]]
"""W with E[MᵀWM] ≻ (1001/1000) W ≻ 0: near the eigenvector of the largest growth."""


@kit.hypothesis("mean_nonsingular", "$E[A_t]$ is nonsingular", "§2, Assumption 1")
def NONSINGULAR(model: Model) -> Reply:
    ranks = {evaluate(MEAN, Context(model, states)).rank for states in model.behaviour_chain.recurrent_classes}
    return Reply(ranks == {model.d}, f"E A_t has the rank {min(ranks)} of {model.d}")


def determinant_identity() -> bool:
    """The determinant of the 2×2 block, with q and α free."""
    _, q, alpha = kit.free(q=(), a=())
    first = 2 - alpha - alpha * (1 - alpha) ** 2 * q
    second, off_squared = alpha * q - alpha**3 * q**2, alpha**4 * (1 - alpha) ** 2 * q**3
    return bool(first * second - off_squared == alpha * q * (2 - alpha - alpha * q))


@kit.each_class
def at_multiple(model: Model, states: kit.States, multiple: Fraction) -> Verdict:
    """Every pair at a multiple of 1/(1 + B²d²)."""
    if (flat := kit.singular(model, states, MEAN, "E A_t x = 0: nothing draws θ along x")) is not None:
        return flat
    pairs = [kit.Path((s, after), (a,)) for s in states for a, after in kit.moves_from(model, s)]
    context = Context(model, states)
    entries = [evaluate(update(), context.along(path)) for path in pairs]
    B = max(abs(entry) for A in entries for row in A.rows for entry in row)
    alpha = multiple / (1 + B * B * model.d**2)
    psi = its.phi(0) - its.discount(0) * its.phi(1)
    q = (its.phi(0).T @ its.phi(0)) * (psi.T @ psi)
    relations: list[Relation] = [(kit.along(path, Name(alpha) * (1 + q)), "<", Name(2)) for path in pairs]
    relations.append(kit.regular(MEAN, model.d))
    return kit.decide_relations(model, relations, states=states, detail=f"α(1 + q) < 2 for every pair at α = {alpha}")


def matrix(sign: int) -> list[list[Fraction]]:
    """What (h_1ᵀy, h_1ᵀθ) is multiplied by: I − αH along h_1, where A_t is ``sign`` · h_1h_1ᵀ and ‖h_1‖² = d."""
    step = ALPHA * D * sign
    return [[1 - ALPHA, -step], [step * (1 - ALPHA), 1 - step * step]]


def judge_stated() -> kit.Refutation:
    """d = 8, B = 1, α = 1/16: a quadratic form of (h_1ᵀy, h_1ᵀθ) grows in the mean by a thousandth a step."""
    W = GROWING

    def grown(i: int, j: int) -> Expression:
        """The entry of E[MᵀWM] − (1001/1000)W."""
        terms = [-Name(GROWTH) * Name(W[i][j])]
        for sign, p in LAW.items():
            M = matrix(sign)
            terms += [Name(p) * (Name(M[k][i]) * (Name(W[k][m]) * Name(M[m][j]))) for k, m in product((0, 1), repeat=2)]
        return kit.total(terms)

    weight = [[Name(x) for x in row] for row in W]
    relations: list[Relation] = []
    for form in (weight, [[grown(i, j) for j in (0, 1)] for i in (0, 1)]):
        relations.append((Name(0), "<", form[0][0]))
        relations.append((form[0][1] * form[1][0], "<", form[0][0] * form[1][1]))
    model = replace(all_ones(D), name="no chain: the relations are about numbers alone")
    kept = kit.decide_relations(model, relations)
    if kept.status is not kit.Status.HOLDS:
        return kit.Refutation(kit.undecided(f"no form that grows was found: {kept.detail}"))
    detail = (
        "d = 8, B = 1, b_t = 0, α = 1/16, h_1 … h_8 orthogonal with entries ±1: A_t = h_1h_1ᵀ (φ = h_1, φ' = 0) with "
        f"probability {LAW[1]}, −h_1h_1ᵀ (φ' = (2/γ)h_1) with {LAW[-1]}, and one of h_2h_2ᵀ … h_8h_8ᵀ evenly "
        f"with {RARE}. Of u = (h_1ᵀy, h_1ᵀθ), which is multiplied by M, uᵀWu grows in the mean: "
        "E[MᵀWM] ≻ (1001/1000)W, W ≻ 0"
    )
    witness = {"W": [[str(x) for x in row] for row in W], "M at h_1h_1ᵀ": [[str(x) for x in row] for row in matrix(1)]}
    return kit.Refutation(kit.refuted(detail, witness, by=kept.certificates), model)


def one_percent_above() -> kit.Refutation:
    """One state, φ = 1, γ = 0: A = 1 always, B = d = 1, and the bound is α < 1."""
    model = all_ones(1)
    found = at_multiple(model, Fraction(202, 100))
    return kit.explained(found, model, "d = 1, A = 1, α = 101/100", "α(1 + q)", "2")


CLAIM = kit.Claim(
    id="ls_gtd_step",
    stated=kit.Reading(
        r"For independent data with $|(A_t)_{ij}| \le B$, $B \ge 1$, averaged GTD with the step $\frac{1}{2B^2d}$ "
        r"has a mean squared error of $O(1/t)$ on each instance.",
        quote=r"CAGTD has a universal stepsize of $\alpha_{gtd} = \frac{1}{2B^2 d}$ for the class GTDOFF(B)",
        place="§5, Theorem 5(ii)",
    ),
    corrected=kit.Reading(
        r"For independent data with $|(A_t)_{ij}| \le B$ and every step $\alpha < \frac{2}{1 + B^2 d^2}$ the matrix "
        r"$E[H_t + H_t^\top - \alpha H_t^\top H_t]$ is positive definite, so that the mean squared error of averaged "
        r"GTD is $O(1/t)$ on each instance."
    ),
    decides="E[H + Hᵀ − αHᵀH] is positive definite",
    judge_stated=judge_stated,
    anchors=("Theorem 5", "Table 1"),
    check=lambda model: at_multiple(model, BELOW),
    prove=lambda: kit.proved(
        "the block of a singular value √q has the determinant αq(2 − α − αq), symbolic α and q; with α(1 + q) < 2 its "
        "kernel is θ alone where q = 0, so the mean is definite if E A_t is nonsingular",
        kit.shown(determinant_identity),
    ),
    variant=kit.FalseVariant("It is definite at 101/100 of 2/(1 + B²d²).", one_percent_above),
    ablations=(kit.Ablation(NONSINGULAR, box=models.TWO_CLASSES),),
    notes=(
        "The printed step rests on Lemma 11, which is false (ls_lemma11). For d ≤ 3 and B ≥ 1 it is at most "
        "2/(1 + B²d²), so that the statement holds there; nothing is said here of d = 4 to 7.",
        "“Universal” is read instance by instance, the weaker sense: the counterexample is one instance.",
        "From a start with u ≠ 0 the averages have no mean square of O(1/t) either: θ_t = (t + 1)θ̂_t − tθ̂_{t−1}, and "
        "likewise y_t, so that E uᵀWu would be O(t).",
    ),
    rests_on=("ls_lemma11",),
)
