"""What the generators of passports, identity cards and driving licences share.

issuers, labels: countries and their words. sampling: values. writer: words and style of one document; text_layout: text
set on a card; decoration: everything around the fields. booklet, cards, licences, american: the layouts.
"""
