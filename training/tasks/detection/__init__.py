"""Text detection: finding the text lines of a page."""
