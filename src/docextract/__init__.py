"""Document data extraction: validation of photos of documents, and extraction of field values."""
