"""The `docextract` command: reads files and prints tables, JSON lines or CSV, with local models or through a server.

It uses docextract.client. With --server the client calls a service; otherwise it calls the same application in this
process (docextract.serving.local), so both give the same answers.
"""
