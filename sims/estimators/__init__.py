"""Return estimators on trial: does a function compute the return that its contract declares?"""
