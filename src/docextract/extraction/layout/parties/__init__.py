"""Which party of a document its names and addresses belong to."""
