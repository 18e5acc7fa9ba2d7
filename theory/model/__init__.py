"""What the theory talks about: chains, MDPs, λ-schedules, and the matrices of the paper."""
