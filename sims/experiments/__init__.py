"""The experiments of appendix A5."""
