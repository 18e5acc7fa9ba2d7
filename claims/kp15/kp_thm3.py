r"""Theorem 3: the bound of centred TD(0) tends to zero, and the error does not.

Note: F̂ is a mean of M + 1 samples, whose noise stays: it is false for every C and ρ < 1.
Model: such chains, γ = 1/10, M = 3, an epoch from θ̄ = θ* and θ* + 1.
Check: the mean of (θ̄ − θ*)² after an epoch, over all paths, against its part that is due to noise.
Closed form: e_{k+1} = qe_k − γ(1 − β)ē/M + γξ, q = 1 − γ(1 − β), so e_k = a_kē + c_kξ with c_k = γΣ_{j<k}q^j; M − 1 of
the samples in ξ are independent of ē.
"""

from math import floor

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Name, RationalMatrix, Verdict, decide_relations, its, on_each_class

STEP = Fraction(1, 10)


@kit.hypothesis("independent_states", r"independent states, $\phi = 1$, one $\beta$", "not in the paper")
def SIMPLE(model: Model) -> kit.Reply:
    chain, row = model.behaviour_chain.P.rows, model.behaviour_chain.P.rows[0]
    plain = all(table.shape[1] == 1 for table in model.rewards) and model.gamma is not None
    simple = plain and len(model.actions) == 1 and all(x == row for x in chain)
    met = simple and all(list(x) == [1] for x in model.features.rows)
    return kit.Reply(met, "states are independent, φ = 1" if met else "states are not independent, or φ is not 1")


def noise(beta: Fraction, epoch: int) -> list[Fraction]:
    """c_0 … c_M."""
    found = [Fraction(0)]
    for _ in range(epoch):
        found.append((1 - STEP * (1 - beta)) * found[-1] + STEP)
    return found


def share(beta: Fraction, epoch: int, samples: int) -> Fraction:
    """The mean of c_k² times samples/M²: the part of E e² that is due to so many samples, by their variance."""
    return sum((c * c for c in noise(beta, epoch)), Fraction(0)) / (epoch + 1) * Fraction(samples, epoch**2)


VARIANCE: kit.Expression = kit.expected("mu", "d", 1, (its.reward(0) - its.d.T @ its.r) ** 2)


def stays(model: Model, start: int, samples: int) -> Verdict:
    """E e² after an epoch of three steps from ē = ``start``, against the noise of so many samples."""
    beta, epoch = model.gamma or Fraction(0), 3
    q = 1 - STEP * (1 - beta)
    xi = Name(Fraction(1, epoch)) * kit.total([its.reward(i) - its.d.T @ its.r for i in range(epoch + 1)])
    errors: list[kit.Expression] = [Name(start)]
    for _ in range(epoch):
        errors.append(Name(q) * errors[-1] - Name(STEP * (1 - beta) * start / epoch) + Name(STEP) * xi)
    mean = Name(Fraction(1, epoch + 1)) * kit.expected("mu", "d", epoch + 1, kit.total([e**2 for e in errors]))
    relation = (Name(share(beta, epoch, samples)) * VARIANCE, "<=", mean)
    return on_each_class(lambda states: decide_relations(model, [relation], states=states), model, "the noise stays")


def coin(beta: Fraction = HALF) -> Model:
    """Two states, each next state drawn evenly, φ = 1, r = (0, 1)."""
    r, Phi = RationalMatrix.column([0, 1]), RationalMatrix.column([1, 1])
    return Model.reward_process(RationalMatrix([[HALF, HALF]] * 2), r, beta, Phi, name="coin, φ = 1")


def judge_stated() -> kit.Refutation:
    """β = ½, M = 100, H = 3, θ̄^(0) = 0, θ* = 1, C = 1 and ρ = ½, m = 20: C_1 = 2/9, C_2 = 1/450. Υ does nothing, as
    |θ| stays below (M + 1)/(M − 1) · 1/(1 − β) < 3.
    """
    M, m, first, second = 100, 20, Fraction(2, 9), Fraction(1, 450)
    bound = first**m + M * second * 3 * (5 * STEP + 4) * max(first, HALF**M) ** (m - 1)
    least = Fraction(floor(share(HALF, M, M - 1) * 2**10), 2**10)
    relation = (Name(least) * VARIANCE, "<=", Name(bound))
    found = decide_relations(model := coin(), [relation])
    detail = "two even states, φ = 1, r = 0, 1, β = ½, γ = 1/10, M = 100, H = 3, C = 1, ρ = ½, m = 20"
    return kit.explained(found, model, detail, "below E(θ̄ − θ*)²", "(10)")


def of_more_samples() -> kit.Refutation:
    """M + 2 samples have more noise than the M + 1 that there are."""
    return kit.on(coin(), stays, 0, 5)


def closed_form(k: int) -> bool:
    """e_k = a_kē + c_kξ, a_k = q^k − (1 − q)(1 + … + q^{k−1})/M and c_k = γ(1 + … + q^{k−1}), by the recursion."""
    _, q, gamma, start, xi, M = kit.free(q=(), g=(), e=(), x=(), m=())
    error, series = start, sum((q**j for j in range(k)), start=0 * q)
    for _ in range(k):
        error = q * error - (1 - q) * start / M + gamma * xi
    return bool(error == (q**k - (1 - q) * series / M) * start + gamma * series * xi)


CLAIM = kit.Claim(
    id="kp_thm3",
    stated=kit.Reading(
        r"If (7) holds and $C_1 < 1$: $E\|\Phi(\bar\theta^{(m)} - \theta^*)\|_\Psi^2 \le C_1^m\|\Phi(\bar\theta^{(0)} "
        r"- \theta^*)\|_\Psi^2 + CMC_2H(5\gamma + 4)\max\{C_1, \rho^M\}^{m-1}$.",
        quote="Let the epoch length M of the CTD algorithm (9) be chosen such that C1 < 1",
        place="§4, Theorem 3",
    ),
    corrected=kit.Reading(
        r"For independent states and $\phi = 1$ the error is at least $\frac{M-1}{M^2(M+1)}\sum_{k \le M} c_k^2 "
        r"\mathrm{Var}\,r$ for every $m \ge 2$, $c_k = \gamma\sum_{j<k}(1 - \gamma(1 - \beta))^j$: it does not tend "
        r"to zero.",
        added_hypotheses=("independent states, $\\phi = 1$",),
    ),
    judge_stated=judge_stated,
    anchors=("Theorem 3",),
    check=lambda model: kit.together(
        (stays(model, start, 2) for start in (0, 1)), "the noise of two samples stays after an epoch of three"
    ),
    prove=lambda: kit.proved(
        "e_k = a_kē + c_kξ: symbolic q, γ, ē, ξ, M, k = 1 … 6; E(x + cy)² ≥ c² Var y for a y independent of x, M − 1 "
        "of the rewards in Mξ are independent of ē and of the rest, and θ̄ is e_k for an evenly drawn k",
        kit.shown(closed_form, at=range(1, 7)),
    ),
    instances=lambda: [coin(), coin(Fraction(9, 10))],
    variant=kit.FalseVariant("The noise of M + 2 samples stays.", of_more_samples),
    ablations=(kit.Ablation(SIMPLE, counterexample=kit.flip_chain),),
    notes=(
        "Read as the bound in expectation that the text before it announces. For every C and ρ < 1 the right side of "
        "(10) tends to zero as m grows, so that no choice of them mends it.",
    ),
)
