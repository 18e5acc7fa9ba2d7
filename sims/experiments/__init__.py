"""The experiments of appendix A5, one file each: the model as the paper gives it, and the runs.

What the paper does not say is an argument or a named axis, never a choice made in silence. Runs are compared on common
trajectories; what they show is judged by ``tdcert.sims.judge.replication``, and drawn with bands that assume no law.
"""
