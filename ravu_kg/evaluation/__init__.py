"""How well questions are answered, on real data: data sets, methods, metrics, runs and reports."""
