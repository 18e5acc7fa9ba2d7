"""What changed between two verification reports: one line for each changed verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tdcert.theory.errors import InputError

FORMAT = "tdcert-verdicts/1"


def read_verdicts(path: str | Path) -> dict[str, Any]:
    """The document of a report, given its file or its folder; :class:`InputError` for anything else."""
    try:
        place = Path(path) / "verdicts.json" if Path(path).is_dir() else Path(path)
        document = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file '{place}'; give a verdicts.json, or the folder of a report") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror}); give a verdicts.json") from None
    except (ValueError, RecursionError):  # not UTF-8, not JSON, absurdly nested, or no path at all
        raise InputError(f"'{path}' is not JSON; give a verdicts.json, or the folder of a report") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"'{path}' is not of the format {FORMAT}; give a verdicts.json, or the folder of a report")
    claims = document.get("claims")
    if not isinstance(claims, list) or not all(isinstance(claim, dict) and "id" in claim for claim in claims):
        raise InputError(f"'{path}' lists no claims; give a whole verdicts.json")
    return document


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each difference in a finding, a reading's status or grades, or a hypothesis's need."""
    before = {claim["id"]: facts(claim) for claim in old["claims"]}
    after = {claim["id"]: facts(claim) for claim in new["claims"]}
    lines = []
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            lines.append(f"{name}: no longer listed")
        elif name not in before:
            lines.append(f"{name}: new ({after[name]['finding']})")
        elif before[name] != after[name]:
            was, now = before[name], after[name]
            parts = [
                f"{key} {was.get(key, 'nothing')} → {now.get(key, 'nothing')}"
                for key in dict.fromkeys([*was, *now])
                if was.get(key) != now.get(key)
            ]
            lines.append(f"{name}: {', '.join(parts)}")
    return lines


def facts(claim: Mapping[str, Any]) -> dict[str, str]:
    """What a claim's verdict says, without evidence counts, witnesses or wording."""
    made = {"finding": str(claim.get("finding"))}
    for kind in ("stated", "corrected"):
        reading = claim.get(kind)
        if reading:
            made[kind] = str(reading.get("status"))
            made[f"grades of {kind}"] = ", ".join(sorted({s["grade"] for s in reading.get("scopes", ())})) or "none"
    for hypothesis in claim.get("hypotheses") or ():
        needed = {True: "needed", False: "not needed"}.get(hypothesis.get("needed"), "undecided")
        made[f"hypothesis {hypothesis.get('id')}"] = needed
    return made
