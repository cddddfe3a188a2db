"""The `docextract` command: files in, tables or JSON or CSV out, by the models in this process or by a server.

It is a client like any other (docextract/client): with --server of a service somewhere, without of the very same
application in this process (docextract/local.py), so both answer alike.
"""
