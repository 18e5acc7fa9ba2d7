"""The claims go in, their verdicts come out."""
