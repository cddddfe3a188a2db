"""docs/accuracy.md: how accurate both models are, measured by one command. See __main__.py.

sets chooses the pages; workers does the slow work once and caches it; page_results pairs each page with its answer;
value_positions, zones, causes, robustness and failures count; page writes the document.
"""
