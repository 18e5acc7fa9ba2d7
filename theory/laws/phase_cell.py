"""A sign: −1 differences of two runs die out, +1 they grow from some start, 0 they do neither, None undecided."""

from __future__ import annotations

Sign = int | None
