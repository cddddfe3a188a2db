"""Fills HTML layouts of invoices and receipts, and takes words, places, fields and rows from what a browser prints."""
