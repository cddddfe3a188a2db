"""What synthetic passports, identity cards and driving licences have in common.

issuers, labels: countries and their words. sampling: the values. hand: the typefaces and words of one document; board:
text set on a card; furniture: what is around the fields. booklet, cards, licences, american: the layouts.
"""
