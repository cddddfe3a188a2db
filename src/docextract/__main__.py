"""`python -m docextract` is the `docextract` command."""

from docextract.cli.app import main

main()
