"""The mean dynamics of the algorithms in a document, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def dynamics(document: Mapping[str, Any], recurrent_class: int = 0) -> dict[str, Any]:
    """Of the paper's algorithms those that apply: off-policy TD is TD where the policies are equal."""
    rows = [row for row in document["algorithms"] if row["recurrent_class"] == recurrent_class]
    found = {row["name"]: row["mean_dynamics"] or row["two_time_scales"] for row in rows}
    return {**({"off_policy_td": found["td"]} if "td" in found else {}), **found}
