"""The generator of synthetic data: from a record to a sheet, a printed page and a simulated photo."""
