"""A folder of a million scans → a folder of answers, without HTTP: the served models in a pool of Ray actors.

Names of files go out to the actors in small groups. Each actor answers a group and writes it as one part of the
output, whole or not at all; the part's name follows from its files, so that whoever does it again writes the same.
A run begins by reading which files have their answers in a part, and does the others: that is all there is to a resume.
"""
