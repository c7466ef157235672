"""Calls of language models: which model a role has, what a call costs, and what happens when it fails."""
