"""Verdicts from samples: sets of models that hold the true one with a stated probability, and what is true on them."""
