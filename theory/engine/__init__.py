"""Any update that is affine in its parameters: from the function that a user writes to exact answers about it."""
