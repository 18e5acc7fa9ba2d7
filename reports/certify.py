"""When iterates are close to θ*, as the terminal shows it and as ``tdcert-certify/1`` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert.analysis.certify import Answer

FORMAT = "tdcert-certify/1"
CERTIFICATE = "certificates/for_ever.json"
"""Place of the certificate in a report's folder."""
THEOREM = "almost_sure_rate"
"""The claim, with machine-checked proof, that says the same of all models with cruder constants."""


def document(found: Answer, command: str, rejected: str = "") -> dict[str, Any]:
    """The answer as plain strings and numbers; ``certificate`` is null until it is written somewhere.

    ``rejected``: why the independent checker does not accept the certificate. Then nothing is certified.
    """
    asked, process = found.question, found.process
    certified = None if rejected else found.ever_after
    return {
        "format": FORMAT,
        "model": {"name": process.model.name, "digest": process.model.digest},
        "algorithm": process.algorithm.name,
        "steps": {"a": str(found.steps.a), "t0": str(found.steps.t0), "p": str(found.steps.p)},
        "steps_proposed": found.proposed,
        "step_sizes": list(process.algorithm.steps),
        "ratio": ",".join(map(str, process.ratios[1:])) or None,
        "within": str(asked.within),
        "probability": str(asked.probability),
        "theta0": [str(x) for x in process.theta0],
        "theta_star": [str(x) for x in process.theta_star],
        "one_time": found.one_time,
        "one_time_is_least": found.exact,
        "ever_after": None if certified is None else certified.time,
        "why": f"the independent checker rejects the certificate: {rejected}" if rejected else found.why,
        "grade": None if certified is None else "certified",
        "theorem": THEOREM,
        "certificate": None,
        "notes": [found.note] if found.note else [],
        "reproduce": command,
    }


def certificate(found: Answer) -> Mapping[str, Any] | None:
    """The certificate of ``ever_after`` with its model."""
    from tdcert.theory.certificate import write

    if found.ever_after is None:
        return None
    return write.document(found.ever_after.certificate(), found.process.model, THEOREM)


def lines(found: Mapping[str, Any], source: str) -> str:
    """What the terminal shows; ``source`` names a model without a name."""
    steps = found["steps"]
    power = "" if steps["p"] == "1" else f"^{steps['p']}"
    first, *others = found["step_sizes"]
    ratios = (found["ratio"] or "").split(",")
    later = "".join(f", {name} = {x} {first}" for name, x in zip(others, ratios, strict=False))
    within, probability = found["within"], found["probability"]
    said = [
        f"{found['model']['name'] or source}, {found['algorithm']}",
        f"steps {first} = {steps['a']}/(t + {steps['t0']}){power}{later}" + (", proposed" * found["steps_proposed"]),
        f"θ* = ({', '.join(found['theta_star'])})",
    ]
    if found["one_time"] is None:
        said.append(f"at one time: no T was found with P(|θ_T − θ*| ≤ {within}) ≥ {probability}")
    else:
        note = " (the least T by second moments)" if found["one_time_is_least"] else " (an upper bound of the least T)"
        said.append(f"at one time: P(|θ_T − θ*| ≤ {within}) ≥ {probability} at T = {found['one_time']:,}{note}")
    if found["ever_after"] is None:
        said.append(f"for ever after: not certified, as {found['why']}")
    else:
        said.append(
            f"for ever after: P(|θ_t − θ*| ≤ {within} for all t ≥ N) ≥ {probability} with N = {found['ever_after']:,}, "
            "certified"
        )
    said += [f"note: {note}" for note in found["notes"]]
    said.append(f"the general theorem: tdcert show {found['theorem']}")
    if found["certificate"]:
        said.append(f"certificate: {found['certificate']}")
    return "\n".join(said) + "\n"
