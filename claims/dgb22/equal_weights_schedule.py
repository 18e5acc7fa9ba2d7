r"""EqualWeights(n1, n2) gives each n-step return, n1 ≤ n ≤ n2, the weight 1/(n2 − n1 + 1).

Place: §2.1, with the example EqualWeights(3, 5).
Statement: with λ_i = 1 for i < n1, 1 − 1/(n2 − i + 1) for n1 ≤ i ≤ n2, 0 after, w_n = 1/(n2 − n1 + 1) on n1 … n2 and
0 elsewhere.
Hypotheses: the schedule is EqualWeights(n1, n2) for some 1 ≤ n1 ≤ n2.
Model: only its schedule matters.
Check: the weights of the returns, exact.
Closed form: with m = n2 − n1 + 1, c_{n1−1+k} = (m − k)/m. In particular λ_{n2} = 0, so L = n2 − 1.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22.n_step_special_case import weights_verdict
from tdcert.claims.kit import Fraction, Model, Schedule, Verdict
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.check.hypotheses import EQUAL_WEIGHTS_SCHEDULE
from tdcert.theory.model.schedule import return_weights, weight_matrix

PRINTED_LAMBDAS = ("1", "1", "2/3", "1/2", "0")
"""λ_1 … λ_5 of EqualWeights(3, 5) as §2.1 prints them."""
PRINTED_MATRIX = (
    ("1", "0", "0", "0", "0"),
    ("0", "1", "0", "0", "0"),
    ("0", "0", "1", "0", "0"),
    ("0", "0", "1/3", "2/3", "0"),
    ("0", "0", "1/3", "1/3", "1/3"),
)
"""The associated weight matrix as §2.1 prints it."""


def prove() -> kit.Proof:
    """Induction over k for symbolic m, the constructor against it for n2 ≤ 12, and the printed example."""
    ring = SymbolicRing("m", "k")
    m, k = ring.symbols
    # At i = n1 − 1 + k, n2 − i + 1 = m − k + 1: c_{n1−1+k} = c_{n1−1+k−1} · (1 − 1/(m − k + 1)).
    kit.require((m - (k - 1)) / m * (1 - 1 / (m - k + 1)) == (m - k) / m, "the induction step of c_k fails")
    kit.require((m - (k - 1)) / m - (m - k) / m == 1 / m, "the weights are not 1/m")
    largest = 12
    pairs = [(n1, n2) for n2 in range(1, largest + 1) for n1 in range(1, n2 + 1)]
    for n1, n2 in pairs:
        weights = return_weights(Schedule.equal_weights(n1, n2).lambdas)
        equal = [Fraction(0)] * (n1 - 1) + [Fraction(1, n2 - n1 + 1)] * (n2 - n1 + 1)
        kit.require(weights == equal, f"EqualWeights({n1}, {n2}) has other weights")
    example = Schedule.equal_weights(3, 5)
    lambdas = [str(x) for x in (*example.lambdas, Fraction(0))]
    matrix = [[str(entry) for entry in row] for row in weight_matrix(example.lambdas, 5)]
    kit.require(
        lambdas == list(PRINTED_LAMBDAS) and matrix == [list(row) for row in PRINTED_MATRIX],
        "the printed example EqualWeights(3, 5) differs",
    )
    return kit.proved_for_all(
        "induction over k, symbolic m: c_{n1−1+k} = (m − k)/m, hence w = 1/m on n1 … n2; before n1 as for n-step TD", 1
    ) + kit.proved(
        f"the constructor for all 1 ≤ n1 ≤ n2 ≤ {largest}, and the printed schedule and matrix of EqualWeights(3, 5)",
        len(pairs) + 1,
    )


def check(model: Model) -> Verdict:
    """Equal weights from the first non-zero one up to L + 1."""
    weights = return_weights(model.schedule.lambdas)
    first = next((n for n, w in enumerate(weights, start=1) if w != 0), len(weights))
    return weights_verdict(model, first)


CLAIM = kit.Claim(
    id="equal_weights_schedule",
    stated=kit.Reading(
        r"EqualWeights$(n_1, n_2)$ assigns the weight $\frac{1}{n_2 - n_1 + 1}$ to each $n$-step return with $n_1 "
        r"\leq n \leq n_2$, and none to others.",
        quote=(
            r"we want to assign equal weights to all $n$-step returns for $n_{1}\leq n \leq n_{2}$. We can achieve "
            r"this by selecting a $\lambda$-schedule"
        ),
        place="§2.1",
    ),
    anchors=(
        r"1-\frac{1}{n_2-i+1} & \mbox{if } n_1 \leq i \leq n_2",
        r"\lambda_{3} = \frac{2}{3}, \quad \lambda_{4} = \frac{1}{2}",
    ),
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(kit.Ablation(EQUAL_WEIGHTS_SCHEDULE, box=models.SHORT_SCHEDULES),),
    notes=("λ at n2 is zero, so the schedule has length L = n2 − 1.",),
)
