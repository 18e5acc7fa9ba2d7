"""Phase diagrams: what mean, mean square and paths do, for each discount and schedule."""
