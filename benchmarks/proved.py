"""The checker that is proved correct: ``python -m benchmarks.proved [--report FOLDER] [--only TEXT]``.

How long certificates of convergence take it, natively, in node and in Chromium, and all certificates that it reads of a
report, ``FOLDER`` as ``tdcert verify --out FOLDER`` wrote it. Natively and in node: seconds of processor time of the
process, from its start on. A page in Chromium, which holds the program as report pages do, sees the clock alone, and
other work lengthens it: so a loop of integers is timed before and after each of five answers, and the median of the
ratios is taken times the processor time of that loop in node. The fixed work of :mod:`benchmarks.face` is timed, too:
where it takes longer than :data:`benchmarks.waits.PEER`, so does everything. Asked: 5 s for a report, 60 s for 400
tabular states natively, 1 s for 100 states in a browser.

Models: a chain with 100 states, each with five successors, and the one of :mod:`benchmarks.exact` with dense rows, 20
features and ten λ's, on-policy; one with two actions of five successors, γ = 9/10 and a target that is not the
behaviour, so that A has a factor and no rank.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from benchmarks.exact import random_model
from benchmarks.face import peer, seconds
from benchmarks.waits import PEER
from tdcert.reports.proved_checker import reads
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.convergence import convergence_certificate
from tdcert.theory.formal import program
from tdcert.theory.formal.sources import FORMAL
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ASKED = {"report": 5, "tabular": 60, "browser": 1}
SUCCESSORS = 5


def rows(n: int, rng: random.Random) -> RationalMatrix:
    """Five successors of each state, the next one among them, so that one class holds all."""
    found = [[Fraction(0)] * n for _ in range(n)]
    for s, row in enumerate(found):
        for t in [*rng.sample(range(n), SUCCESSORS - 1), (s + 1) % n]:
            row[t] += Fraction(1, SUCCESSORS)
    return RationalMatrix(found)


def tabular(n: int) -> Model:
    """On-policy, γ = 9/10, one feature a state, one-step returns."""
    rng = random.Random(n)
    return Model.reward_process(
        rows(n, rng), RationalMatrix.column([Fraction(rng.randint(-2, 2)) for _ in range(n)]), Fraction(9, 10)
    )


def off_policy(n: int) -> Model:
    """Two actions, taken with 1/2 each and meant with 2/5 and 3/5."""
    rng = random.Random(n)
    return Model(
        actions=("a", "b"),
        transitions=(rows(n, rng), rows(n, rng)),
        rewards=tuple(RationalMatrix.column([Fraction(rng.randint(-2, 2)) for _ in range(n)]) for _ in range(2)),
        discounts=(RationalMatrix.column([Fraction(9, 10)] * n),) * 2,
        behaviour=RationalMatrix([[Fraction(1, 2), Fraction(1, 2)]] * n),
        target=RationalMatrix([[Fraction(2, 5), Fraction(3, 5)]] * n),
        features=RationalMatrix([[Fraction(i == j) for j in range(n)] for i in range(n)]),
        schedule=Schedule(),
    )


def certificates(only: str) -> Iterator[tuple[str, bytes]]:
    """Certificates of convergence, by name."""
    models: dict[str, Callable[[], Model]] = {
        "100 states, tabular": lambda: tabular(100),
        "100 states, 20 features, ten lambdas": lambda: random_model(100, 20, 10),
        "100 states, two actions, tabular": lambda: off_policy(100),
        "400 states, tabular": lambda: tabular(400),
    }
    for name, make in models.items():
        if only in name:
            model = make()
            for algorithm in ("td" if model.is_on_policy else "off_policy_td", "gtd"):
                found = convergence_certificate(model, algorithm)
                if found is None:
                    sys.exit(f"no certificate that {algorithm} converges on {name}")
                proof = next(key for key in ("rank", "factor", "lyapunov", "prime") if key in found.witness)
                yield f"{name}: {algorithm} by its {proof}", text(document(found, model, None)).encode()


def of_report(folder: Path) -> list[bytes]:
    """Those of a folder of ``tdcert verify`` that the program reads."""
    texts = [path.read_bytes() for path in sorted((folder / "certificates").rglob("*.json"))]
    return [one for one in texts if '"kind"' in (given := one.decode()) and reads(json.loads(given))]


def used(command: Sequence[str], asked: Sequence[bytes]) -> float:
    """Seconds of processor time of a process that answers these questions, each with *accepted*."""
    with tempfile.TemporaryFile() as questions:
        for one in asked:
            questions.write(b"%d\n" % len(one) + one)
        questions.seek(0)
        before = os.times()
        done = subprocess.run(command, stdin=questions, capture_output=True, check=True)
        after = os.times()
    answers = done.stdout.decode().splitlines()
    if len(answers) < len(asked) or not all(answer.startswith("accepted: ") for answer in answers):
        sys.exit(f"not accepted: {next((a for a in answers if not a.startswith('accepted: ')), 'no answer')}")
    return after.children_user + after.children_system - before.children_user - before.children_system


LOOP = "let x = 1n; for (let k = 0; k < 500000; k++) x = (x * 6364136223846793005n + 7n) % 2305843009213693951n;"
PAGE = """<!doctype html><meta charset="utf-8"><script>{program}</script><pre id="found"></pre><script>
const certificate = {certificate}, loop = () => {{ {loop} }}, ratios = [];
function timed(work) {{ const start = performance.now(); work(); return performance.now() - start; }}
let said = "", before = timed(loop);
for (let k = 0; k < 5; k++) {{
  const took = timed(() => {{ said = tdcertConvergence(certificate); }}), after = timed(loop);
  ratios.push(2 * took / (before + after));
  before = after;
}}
ratios.sort((a, b) => a - b);
document.getElementById("found").textContent = JSON.stringify([ratios[2], said.slice(0, 10)]);
</script>"""


def seconds_of_loop(node: str) -> float:
    """Processor time of the loop in node, the least of three."""
    timed = f"const t = process.cpuUsage(); {{ {LOOP} }} const u = process.cpuUsage(t); console.log(u.user + u.system);"
    told = [subprocess.run([node, "-e", timed], capture_output=True, text=True, check=True).stdout for _ in range(3)]
    return min(map(int, told)) / 10**6


def in_browser(browser: str, certificate: bytes) -> float:
    """Time for an answer on a page over that of the loop."""
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "page.html"
        held = json.dumps(certificate.decode()).replace("<", "\\\\u003c")
        page.write_text(
            PAGE.format(program=program.in_tree()[program.PAGE], certificate=held, loop=LOOP), encoding="utf-8"
        )
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={name}/profile", "--dump-dom"]
        done = subprocess.run([browser, *options, page.as_uri()], capture_output=True, text=True, check=True)
    found = html.unescape(done.stdout.partition('<pre id="found">')[2].partition("</pre>")[0])
    ratio, said = json.loads(found)
    if said != "accepted: ":
        sys.exit(f"in the browser: {said}")
    return float(ratio)


def told(name: str, where: str, took: float, asked: int | None) -> None:
    met = "" if asked is None else f"   {asked:3} s {'met' if took <= asked else 'beyond'}"
    print(f"{name:62} {where:9} {took:8.2f} s{met}", flush=True)


def main() -> None:
    """Builds the native program, measures, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="what `tdcert verify --out` wrote")
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose name holds the text")
    given = parser.parse_args()
    browser, node = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("node")
    with tempfile.TemporaryDirectory() as name:
        native = [str(program.native(program.in_tree()[program.EXTRACTED], Path(name)))]
        print(f"the fixed work takes {1000 * seconds(peer, 20):.1f} ms, where goals are stated {1000 * PEER:.1f} ms")
        if given.report is not None:
            texts = of_report(given.report)
            size = sum(map(len, texts)) / 10**6
            told(
                f"{len(texts):,} certificates of a report, {size:.1f} MB",
                "native",
                used(native, texts),
                ASKED["report"],
            )
        for what, one in certificates(given.only):
            large = what.startswith("400")
            told(what, "native", used(native, [one]), ASKED["tabular"] if large else None)
            if node is not None and not large:
                told("", "node", used([node, str(FORMAL / "verified" / "answers.js")], [one]), None)
                if browser is not None:
                    told("", "Chromium", in_browser(browser, one) * seconds_of_loop(node), ASKED["browser"])


if __name__ == "__main__":
    main()
