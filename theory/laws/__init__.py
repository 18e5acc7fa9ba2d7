"""Laws of the iterates and traces: moments at finite times, long-run covariances, mean squares."""
