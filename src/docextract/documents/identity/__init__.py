"""Passports, identity cards and driving licences: what the three have in common.

record: the fields and their checks. issuers, labels: countries, and their words. sampling: made-up holders and
documents. hand: how one document is written; board: how text is set on a card; furniture: what is around it. booklet,
cards, licences, american: the documents themselves.
"""
