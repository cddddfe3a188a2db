"""docs/accuracy.md: how well both models read, measured by one command. See __main__.py.

sets: which pages → work: what is slow, done once and kept → sureness, evidence, causes, robustness, failures: what is
counted → page: how it is told.
"""
