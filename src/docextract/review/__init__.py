"""Review of a folder of documents on this machine: people correct what was extracted, and get labels for training."""
