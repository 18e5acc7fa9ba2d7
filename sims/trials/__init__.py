"""Code of a user's on trial, a class or a function: where it lies, the process it runs in, what is said of it."""
