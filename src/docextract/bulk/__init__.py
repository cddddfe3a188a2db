"""Extract data from very many files without HTTP: the served models in a pool of Ray actors.

File names are sent to the actors in small groups. Each actor processes a group and writes it as one part of the output,
completely or not at all. The part's name is derived from its files, so a repeated group overwrites its own part. A run
first reads which files are already in a part, and processes the rest; no other state is needed to resume.
"""
