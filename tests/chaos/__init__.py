"""Faults on purpose: ``python -m tests.chaos [--minutes N] [--seed S]`` (``make chaos``).

Indexing is killed, its server is killed, stopped, filled up, made read-only and cut off, keys and schemas change under
it, and many ask and index at once. After each case what is going on is given again: the graph must then be the one of
an undisturbed run, and no call of a model whose reply was kept may have been made again. At the end a table is printed;
the exit code is 1 if any case was lost.
"""
