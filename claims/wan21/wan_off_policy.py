r"""Off-policy one clock is stable on four states or fewer, and not on every chain of eight.

Model: any, tabular.
Check: M(½) by a Lyapunov matrix; then det M and det M⁽²⁾ as polynomials in η.
Closed form: for n ≤ 4 the signed det M and det M⁽²⁾ are sums of positive monomials in the rates d_iP_ij and ηd_i.
Proof: neither determinant vanishes, so that the number of eigenvalues right of zero is one for all rates and η.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import IRREDUCIBLE, Fraction, Hypothesis, Model, RationalMatrix, Reply, Verdict, on_each_class
from tdcert.claims.parameter import decide_stable
from tdcert.claims.wan21.one_clock import UNICHAIN, clocked, eight_states, positive_for_every_rate
from tdcert.theory.check.one_parameter import POSITIVE, Values

FEW = Hypothesis("four_states", "$n \\le 4$", "our own", lambda model: Reply(model.n <= 4, f"{model.n} states"))


def between(model: Model, values: Values) -> Verdict:
    """For all these η."""
    n = model.n
    return on_each_class(lambda states: decide_stable(model, clocked, n, values, states, "M(η) is Hurwitz"), model)


def both_stay() -> Model:
    """Two states, drawn evenly; the target stays in each."""
    half, one = Fraction(1, 2), Fraction(1)
    return models.jumps("both stay", (half, half), (0, 1), RationalMatrix.zeros(2, 1).identity(2), one)


def judge_stated() -> kit.Refutation:
    """Eight states at an η near 1/1000."""
    model = eight_states()
    found = between(model, Values(Fraction(1, 2000), Fraction(1, 500)))
    chain = "1 … 4 → 5 → 6 → 7 → 8 → 5 with 1/30000, d ∝ (8, 8, 8, 8, 5, 4, 2, 2400)"
    told = f"{chain}: {found.detail}, so that M(η) has an eigenvalue that is not left of zero"
    return kit.Refutation(replace(found, detail=told), model)


CLAIM = kit.Claim(
    id="wan_off_policy",
    stated=kit.Reading(
        r"For every $P$ with one recurrent class, every law $d > 0$ and every $\eta > 0$, $D(P - I) - \eta d 1^\top$ "
        r"is Hurwitz: one clock suffices off-policy."
    ),
    corrected=kit.Reading(
        r"For every $P$ with one recurrent class on at most four states, every law $d > 0$ and every $\eta > 0$, "
        r"$D(P - I) - \eta d 1^\top$ is Hurwitz.",
        added_hypotheses=("at most four states",),
    ),
    judge_stated=judge_stated,
    check=lambda model: between(model, POSITIVE),
    prove=lambda: kit.proved(
        "det(−M) and det(−M⁽²⁾) are sums of positive monomials, up to 33,066, n = 2, 3, 4",
        kit.shown(positive_for_every_rate, at=(2, 3, 4)),
    ),
    variant=kit.FalseVariant("It is so on at most eight states.", judge_stated),
    constants=(
        kit.NumericConstant(
            "the four states",
            note="eight are too many; of five to seven, where monomials of the other sign occur, nothing is known",
        ),
    ),
    ablations=(
        kit.Ablation(FEW, counterexample=eight_states),
        kit.Ablation(IRREDUCIBLE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(UNICHAIN, counterexample=both_stay),
    ),
    notes=(
        "arXiv 2605.06874 (2026, its abstract was read) constructs a chain of its own that shows the same.",
        "With a clock for each state D is replaced by I, of which 𝟏 is an eigenvector, as in wan_on_policy.",
    ),
)
