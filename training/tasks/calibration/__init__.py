"""Fitting confidences: the examples, the fit, and how good it is on pages that were left out of it."""
