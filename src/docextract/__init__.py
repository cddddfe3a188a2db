"""Document data extraction: is this photo good enough, and what does it say?"""
