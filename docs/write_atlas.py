"""Writes the atlas of algorithms: ``docs/atlas/data.json`` from a sweep and exact analyses, and the pages from that.

    python docs/write_atlas.py FOLDER   # of `tdcert sweep examples/sweeps/atlas.toml`, complete or not
    python docs/write_atlas.py          # the pages alone, from the data
    python docs/write_atlas.py steps    # the largest constant steps anew, and the pages

Every number of a page is in the data; what is known, with its proofs, and mean matrices in symbols, are in
``known.json``: each general sentence names what ``tests/docs/test_atlas_sentences.py`` asks of many models. Smallest
models start from finds of the sweep, the gallery and the examples; they are made smaller (``tdcert.sweeps.shrink``) as
long as the mean stays unstable, decided in fractions, and they keep what the family has: coverage, discounts below one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import tdcert
from tdcert.algorithms import NAMES, find, named
from tdcert.reports.pictures import standalone_svg
from tdcert.sims.conformance.declared import Declared
from tdcert.sweeps.questions.stability import STABLE, UNSTABLE, at_lambda, exact_word
from tdcert.sweeps.shrink import shrunk, size
from tdcert.theory.check.hypotheses import COVERAGE, FULL_COLUMN_RANK, IRREDUCIBLE
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.errors import InputError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.files.load import load_model
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Sign

FOLDER = Path(__file__).with_name("atlas")
DATA, KNOWN = FOLDER / "data.json", FOLDER / "known.json"
PICTURE = "shares.svg"
EXAMPLES = Path(__file__).parents[1] / "examples"
ETA, GAMMA = Fraction(1), Fraction(9, 10)
GAMMAS = GAMMA, Fraction(19, 20), Fraction(99, 100)
"""Discounts of the gallery's models."""
STEPS = tuple(Fraction(2) ** k for k in range(-7, 3))
"""Constant steps that are asked about, all step sizes equal."""
QUESTIONS = "mean", "mean_square", "paths"
KEPT = IRREDUCIBLE, COVERAGE, FULL_COLUMN_RANK
Row = dict[str, Any]


CANNOT = """## What is not here

| | why |
|---|---|
| GQ(λ), Expected Sarsa(λ) | asked on `tdcert.state_action(model)`: other models than the family here |
| periodic target networks | the copy is made at every n-th step: a count in the memory would be compared |
| n-step methods with control variates | the update of a state n steps back multiplies two things remembered |
| PTD, PER-ETD | weights that change with θ, restarts by the clock |
| LSTD, LSPE, LSETD | matrix gains: they divide by what they learn |
| COP-TD, gradient emphasis | they multiply two things that are learnt |
| greedy control, adaptive steps | not affine |
"""


# ---- the data -------------------------------------------------------------------------------------------------------


def collected(result: Mapping[str, Any]) -> Row:
    """The data from the ``result.json`` of a sweep."""
    lam = Fraction(str(result["spec"]["stability"]["lam"]))
    answer = result["answer"]
    shares = {row["algorithm"]: row for row in answer["unstable_shares"]}
    words = [*NAMES, *(word for word in shares if word not in NAMES)]
    algorithms = {word: at_lambda(find(word)[0], lam) for word in sorted(words)}
    found = {word: _of(chosen, shares.get(word)) for word, chosen in algorithms.items()}
    pool = {word: Model.of_canonical(row["smallest"]["model"]) for word, row in found.items() if row["smallest"]}
    return {
        "sweep": {key: result[key] for key in ("digest", "spec", "complete", "indices")},
        "summary": answer["summary"][0],
        "lam": str(lam),
        "algorithms": found,
        "pairs": [_pair(row, algorithms, pool) for row in answer["disagreements"]],
    }


def _of(algorithm: Algorithm, share: Mapping[str, Any] | None) -> Row:
    """What the atlas holds of one algorithm."""
    kept = ("models", "unstable", "marginal", "undecided", "enclosed", "limits")
    smallest = None
    if share:
        model = smallest_model(share["example"], lambda m: fits(m) and exact_word(m, algorithm, ETA) == UNSTABLE)
        smallest = None if model is None else described(model, algorithm)
    (row,) = tdcert.compare(gallery.theta_to_two_theta(GAMMA), algorithm)["algorithms"]
    said = row["mean_dynamics"]
    row["mean_dynamics"] = None if said is None else {key: said[key] for key in ("verdict", "reason", "rate")}
    shown = ("first_order", "why_not", "mean_dynamics", "ratios", "constant_step", "why_no_constant_step")
    return {
        "asked_with": asked_with(algorithm),
        "share": None if share is None else {key: share[key] for key in kept},
        "smallest": smallest,
        "theta_to_two_theta": {key: row[key] for key in shown},
        "largest_steps": largest_steps(algorithm),
    }


def largest_steps(algorithm: Algorithm) -> Row:
    """By question: the largest of the :data:`STEPS` on θ→2θ at which, as at all smaller ones, two runs come together
    for certain, None where that is none; the ``next`` one, if there is one, with the sign of what they do there: 1, 0,
    or None where it is open.
    """
    signs = [signs_at(algorithm, alpha) for alpha in STEPS]
    found: Row = {}
    for question in QUESTIONS:
        count = next((k for k, one in enumerate(signs) if one[question] != -1), len(STEPS))
        found[question] = {"step": str(STEPS[count - 1]) if count else None}
        if count < len(STEPS):
            found[question]["next"] = {"step": str(STEPS[count]), "sign": signs[count][question]}
    return found


def signs_at(algorithm: Algorithm, alpha: Fraction) -> dict[str, Sign]:
    """What two runs do at a step on θ→2θ, by question: decided exactly or with every rounding bounded, or open."""
    model = gallery.theta_to_two_theta(GAMMA)
    (states,) = model.behaviour_chain.recurrent_classes
    ratios = ratios_of(algorithm, ETA)
    try:
        found = at_constant_step(model, algorithm, states, ratios, alpha)
        mean, square = found.mean, found.mean_square
    except InputError:
        mean = square = None
    paths = -1 if square == -1 else on_paths(model, algorithm, states, ratios, alpha).sign.sign
    return {"mean": mean, "mean_square": square, "paths": paths}


def asked_with(algorithm: Algorithm) -> Row:
    """Its options in words; the schedules here are one λ."""
    said = {name: value for name, value in algorithm.options.items() if name not in ("lambdas", "tail")}
    if "tail" in algorithm.options:
        said = {"lam": (*algorithm.options["tail"], 0)[0], **said}
    return {name: [str(x) for x in value] if isinstance(value, tuple) else str(value) for name, value in said.items()}


def fits(model: Model) -> bool:
    """Whether a model has what those of the family have, and its features are independent."""
    return model.gamma is not None and model.gamma < 1 and all(h.ask(model).satisfied for h in KEPT)


def known_models() -> Iterator[Model]:
    """Those of the gallery and of the examples that fit, smallest first."""
    found = []
    for name, make in vars(gallery).items():
        if callable(make) and getattr(make, "__module__", "") == gallery.__name__ and not name.startswith("_"):
            gammas = GAMMAS if "gamma" in signature(make).parameters else (None,)
            found += [make() if gamma is None else make(gamma=gamma) for gamma in gammas]
    for file in sorted(EXAMPLES.glob("*.json")):
        try:
            found.append(load_model(file).model)
        except InputError:  # features alone
            continue
    yield from sorted(filter(fits, found), key=size)


def smallest_model(example: Mapping[str, Any] | None, wanted: Callable[[Model], bool]) -> Model | None:
    """The smallest wanted model that shrinking a find and known models gives; None where none is wanted."""
    starts = [] if example is None else [Model.of_canonical(example)]
    best: Model | None = None
    for start in [*starts, *known_models()]:
        if wanted(start) and (best is None or start.n <= best.n or start in starts):
            best = min([shrunk(start, wanted), *([best] if best else [])], key=size)
    return best


def described(model: Model, algorithm: Algorithm) -> Row:
    """A model with its size and the mean matrix of the algorithm on it, all step sizes equal."""
    found = stationary(model, algorithm, model.behaviour_chain.recurrent_classes[0])
    J = found.joint([Fraction(1)] * len(algorithm.steps)).take(columns=range(found.D))
    return {
        "model": model.canonical,
        "size": list(size(model)),
        "mean_matrix": [[str(x) for x in row] for row in J.rows],
    }


def _pair(row: Mapping[str, Any], algorithms: Mapping[str, Algorithm], pool: dict[str, Model]) -> Row:
    """Two that disagree, with the smallest model at hand on which they do, decided in fractions: that of a page, or of
    a pair before, or else the first found, made smaller as long as they do. That joins the ``pool``.
    """
    first, second = algorithms[row["stable"]], algorithms[row["unstable"]]

    def apart(model: Model) -> bool:
        words = (exact_word(model, algorithm, ETA) for algorithm in (second, first))
        return fits(model) and next(words) == UNSTABLE and next(words) == STABLE

    near = next(((name, model) for name, model in sorted(pool.items(), key=lambda x: size(x[1])) if apart(model)), None)
    if near is None:
        near = f"{row['stable']} but not {row['unstable']}", shrunk(Model.of_canonical(row["example"]), apart)
        pool[near[0]] = near[1]
    name, model = near
    place = {"of": name} if name in algorithms else {"model": model.canonical}
    pair = {key: row[key] for key in ("stable", "unstable", "count")}
    return {**pair, "smallest": {**place, "size": list(size(model))}}


# ---- the pages ------------------------------------------------------------------------------------------------------


def pages(data: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Every file of the atlas but data and known facts, by its name."""
    files = {f"{name}.md": _page(name, data, known[name]) for name in NAMES}
    return {
        "index.md": _index(data, known),
        "comparisons.md": _comparisons(data),
        PICTURE: standalone_svg(_figure(data)),
        **files,
    }


def _largest(found: Mapping[str, Any]) -> str:
    """``1/4, grows at 1/2``."""
    step, after = found["step"] or "none", found.get("next")
    if after is None:
        return f"{step}, the largest asked"
    word = {1: "grows", 0: "stays", None: "open"}[after["sign"]]
    return f"{step}, {word} at {after['step']}"


def _family(data: Mapping[str, Any]) -> str:
    family = data["sweep"]["spec"]["family"]
    family = family[0] if isinstance(family, list) else family
    done, each = data["sweep"]["indices"]["done"], data["sweep"]["spec"]["stability"]["models"]
    return (
        f"{done * each:,} models drawn from the family `{family['kind']}` ({family['states']} states, "
        f"{family['width']} features, two actions, two next states\nfor each besides the one that makes the chain "
        f"irreducible, weights of both policies from 1 to 16,\nγ = {family['gammas'][0]}, λ = {data['lam']}, all step "
        "sizes equal), less those whose features and constants are linearly dependent"
    )


def _sized(states: int, features: int) -> str:
    """``3 states, 1 feature``."""
    counted = ((states, "state"), (features, "feature"))
    return ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counted)


def _share_words(share: Mapping[str, Any] | None) -> str:
    if share is None:
        return "–"
    low, high = share["limits"]
    return f"{share['unstable'] / share['models']:.3%} ({low:.3%} … {high:.3%})"


def _name(word: str) -> str:
    """``etd_beta`` of ``etd_beta[decay=19/40]``."""
    return word.partition("[")[0]


def _options(asked: Mapping[str, Any]) -> str:
    """``λ = 1/2, decay = 19/40``."""
    said = {"λ" if name == "lam" else name: value for name, value in asked.items()}
    return ", ".join(f"{k} = {v if isinstance(v, str) else '(' + ', '.join(v) + ')'}" for k, v in said.items())


def _index(data: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> str:
    def unstable(item: tuple[str, Any]) -> float:
        share = item[1]["share"]
        return share["unstable"] / share["models"] if share else -1.0

    rows = []
    for word, found in sorted(data["algorithms"].items(), key=unstable, reverse=True):
        share, smallest = found["share"], found["smallest"]
        sized = _sized(*smallest["size"][:2]) if smallest else "none found"
        remarks = [_options(found["asked_with"]), "" if "[" in word else known[word].get("row", "")]
        said = "; ".join(filter(None, remarks))
        largest = " | ".join(_largest(found["largest_steps"][question]) for question in QUESTIONS)
        part, _, limits = _share_words(share).removesuffix(")").partition(" (")
        size_found = sized if share else "–"
        rows.append(f"| {_linked(word)} | {part} | {size_found} | {largest} | {limits} | {said} |")
    models = max(found["share"]["models"] for found in data["algorithms"].values() if found["share"])
    complete = "" if data["sweep"]["complete"] else "\nThe sweep was stopped before its end: these are the models done."
    return f"""# The atlas of algorithms

How often is the mean of each algorithm that ships unstable, and what is the smallest model found on which it is? The
most often unstable come first; "–": the sweep asked only those that are linear in their step sizes.

| algorithm | share unstable | smallest found | largest step: mean | mean square | paths | share within | asked with |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

![Share of the family with unstable mean]({PICTURE})

[Where two algorithms disagree](comparisons.md) is a page of its own, and each algorithm has one, with its counts of
unstable, marginal and undecided models. All are written by `docs/write_atlas.py` from `docs/atlas/data.json`.
*Unstable*: an eigenvalue of the mean matrix has positive real part, so that its differential equation grows from almost
every start. *Stable*: every eigenvalue has negative real part; the mean square at a given constant step may grow all
the same ([questions](../questions.md)).

**The family**: {_family(data)}: {models:,} models.{complete}
Each is decided: in floats with every rounding bounded (`enclosed`) or in fractions (`certified`); what is left is
counted as undecided. Limits of shares hold at 99 %, each on its own (Clopper and Pearson), with undecided models taken
both ways. Spec: `examples/sweeps/atlas.toml`, digest `{data["sweep"]["digest"][:16]}…`. A share is one of this family,
and says nothing of others; and one of the algorithm with the options beside it, by default those of its function.

*Largest step*: on θ→2θ at γ = {GAMMA}, all step sizes equal to one of
{", ".join(str(x) for x in STEPS)}: the largest at which, as at all smaller ones, the difference of
two runs dies out in the mean, in mean square, on almost every path ([three questions](../questions.md)), and what
happens at the next. *Grows*, in the mean and in mean square: from some start. *Open*: no certificate was found either
way, or none is sought: where a memory takes values without end the mean at a step is not asked. Nothing is said of
steps in between. Signs are certified, or have every rounding bounded; none is simulated.

*Smallest found*: of the first unstable model of the family and the unstable models of the gallery
(`theory/model/gallery.py`, at γ = {", ".join(str(x) for x in GAMMAS)}) and of `examples/`, made smaller
as long as the mean is unstable, the behaviour chain irreducible, the target covered, the features independent and γ one
number below one. Smaller ones may exist.

{CANNOT}
```{{toctree}}
:hidden:
:glob:

comparisons
*
```
"""


def _linked(word: str) -> str:
    return f"[{word.replace('[', chr(92) + '[').replace(']', chr(92) + ']')}]({_name(word)}.md)"


def _comparisons(data: Mapping[str, Any]) -> str:
    rows = []
    for pair in sorted(data["pairs"], key=lambda row: (row["unstable"], -row["count"], row["stable"])):
        n, d, largest, total = pair["smallest"]["size"]
        rows.append(
            f"| {_linked(pair['stable'])} | {_linked(pair['unstable'])} | {pair['count']:,} | "
            f"{_sized(n, d)}, numbers up to {largest}, sum {total} |"
        )
    td = [pair for pair in data["pairs"] if pair["unstable"] == "off_policy_td"]
    worse = [pair for pair in data["pairs"] if pair["stable"] == "off_policy_td"]
    said, others = (
        ", ".join(f"{pair[key]} ({pair['count']:,})" for pair in sorted(some, key=lambda row: -row["count"]))
        for key, some in (("stable", td), ("unstable", worse))
    )
    return f"""# Where algorithms disagree

On how many models of the [family](index.md) is one algorithm stable where another is unstable? Both words are decided,
enclosed or certified. The smallest model at hand on which they disagree (one of the pages', or the first of the sweep,
shrunk as long as they do) is in `docs/atlas/data.json`, decided in fractions. Of a pair that is not listed the family
has no such model.

**Stable where off-policy TD is not**: {said or "none"}.

**Unstable where off-policy TD is stable**: {others or "none"}.

| stable | unstable | models | smallest at hand |
|---|---|---|---|
{chr(10).join(rows)}
"""


NOTATION = """A(c, w) = Φᵀ diag(m)(I − T_c)⁻¹(N_w − diag q_w)Φ with trace coefficient c, error weight w, and m = d
unless said; C = E[φφᵀ], F = E[zγφ'ᵀ], η the ratio of the second step size to the first. Lines are those
of the parameters, in the order of the function."""


NOT_LINEAR = """It is not linear in its step sizes: the matrix is its first order in them, and the sweep leaves it out.
Ask about constant steps: `--steps 0.1`."""
KNOWN_WHERE = """**Known**, where the behaviour chain is irreducible and covers the target (μ > 0 where π > 0),
discounts are below one and λ lies in [0, 1]; "stable" is said of the mean matrix:"""


def _page(name: str, data: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    algorithm = named(name)
    code = "\n".join(Declared(name, algorithm).updates("any"))
    rows = {word: found for word, found in data["algorithms"].items() if _name(word) == name}
    linear = bool(rows[name]["share"])
    parts = [f"# {name}", "", *([known["first"], ""] if "first" in known else [])]
    parts += [algorithm.description, "", "```python", code, "```", ""]
    parts += [f"**Mean matrix**: {known['matrix']}.", ""]
    parts += [NOTATION, ""] + ([] if linear else [NOT_LINEAR, ""])
    parts += [KNOWN_WHERE if linear else "**Known**:", "", *(_known(entry) for entry in known["known"]), ""]
    if "model" in known:
        parts += ["```json", json.dumps(known["model"], sort_keys=True), "```", ""]
    for found in rows.values():
        options = _options(found["asked_with"])
        said = f" with {options}" if options else ""
        if found["share"]:
            share = found["share"]
            parts += [
                f"**On the family of the [atlas](index.md)**{said}:",
                f"unstable on {share['unstable']:,} of {share['models']:,} models, {_share_words(share)};",
                f"marginal on {share['marginal']:,}, undecided on {share['undecided']:,}.",
                f"{share['enclosed']:,} decisions are enclosed, the rest certified in fractions.",
                "",
                *_smallest(found["smallest"]),
                "",
            ]
        parts += [*_theta(found["theta_to_two_theta"], said), ""]
    return "\n".join(parts).rstrip() + "\n"


def _known(entry: Mapping[str, str]) -> str:
    """A line of the list: what is known, by whom, and why."""
    source = f" ({entry['source']})" if "source" in entry else ""
    proof = f" *Proof*: {entry['proof']}." if "proof" in entry else ""
    return f"* {entry['says'].removesuffix('.')}{source}.{proof}"


def _smallest(smallest: Mapping[str, Any] | None) -> list[str]:
    if smallest is None:
        return ["**Smallest model with unstable mean**: none was found, in the family, the gallery or the examples."]
    n, d, largest, _ = smallest["size"]
    rows = "; ".join(" ".join(row) for row in smallest["mean_matrix"])
    return [
        "**Smallest model with unstable mean** that shrinking a find of the sweep, the gallery and the examples gave:",
        f"{_sized(n, d)}, numbers up to {largest}. Its mean matrix, exactly, row by row: `{rows}`.",
        "",
        "```json",
        json.dumps(smallest["model"], sort_keys=True),
        "```",
    ]


def _theta(answer: Mapping[str, Any], with_options: str) -> list[str]:
    verdict, step = answer["mean_dynamics"], answer["constant_step"]
    said = f"{verdict['verdict'].replace('_', ' ')} ({verdict['reason']})" if verdict else "no mean dynamics"
    parts = [f"**On θ→2θ** (γ = {GAMMA}{', steps → 0' if answer['first_order'] else ''}){with_options}: {said}."]
    if step:
        grows = step["unbounded"]
        parts.append("Constant steps: two runs come together in mean square at")
        parts.append(f"{step['bounded']}, " + (f"and not at {grows}." if grows else "the largest that was tried."))
    elif answer["why_no_constant_step"]:
        parts.append(f"Constant steps: no largest one ({answer['why_no_constant_step']}).")
    return parts


def _figure(data: Mapping[str, Any]) -> Figure:
    shares = {
        name: found["share"]
        for name, found in data["algorithms"].items()
        if found["share"] and found["share"]["unstable"]
    }
    series = tuple(
        Series(
            f"{k} {name}", (float(k),), (x["unstable"] / x["models"],), (x["limits"][0],), (x["limits"][1],), "points"
        )
        for k, (name, x) in enumerate(shares.items(), start=1)
    )
    title = "Share of the family with unstable mean"
    return Figure("shares", None, title, "algorithm", "share", series, "", log_y=bool(series))


def save(data: Row) -> None:
    DATA.write_text(json.dumps(data, sort_keys=True, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """See the module docstring."""
    if arguments == ["steps"]:
        old = json.loads(DATA.read_text(encoding="utf-8"))
        for word, found in old["algorithms"].items():
            found["largest_steps"] = largest_steps(at_lambda(find(word)[0], Fraction(old["lam"])))
        save(old)
    elif arguments:
        save(collected(json.loads((Path(arguments[0]) / "result.json").read_text(encoding="utf-8"))))
    data, known = (json.loads(path.read_text(encoding="utf-8")) for path in (DATA, KNOWN))
    for name, text in pages(data, known).items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
