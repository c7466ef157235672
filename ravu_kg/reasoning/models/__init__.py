"""Planner, judge and answerer that ask language models (section 3.3); the rules step in where one fails."""
