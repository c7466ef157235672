"""The seven reasoning functions (Table 7), one module each.

Each takes the context, its step and its checked arguments, and returns what it found. The graph is asked by
templates; choices among candidates are the judge's.
"""
