"""Tsitsiklis, Van Roy 1997, not read: most statements are those of ``dgb22`` and ``ts15`` at one λ."""
