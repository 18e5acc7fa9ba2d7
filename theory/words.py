"""Words that messages, evidence and reports share."""


def counted(count: int, one: str, many: str = "") -> str:
    """``1 claim``, ``2 claims``; thousands are separated."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
