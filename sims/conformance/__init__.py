"""A user's implementation on trial: does this code do what the theorems are about?"""
