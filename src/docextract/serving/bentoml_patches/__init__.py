"""Changes to the behaviour of BentoML 1.4.39 for which it has no setting; each module gives the reason."""
