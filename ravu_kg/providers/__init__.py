"""Built-in plug-ins. Nobody imports this package: each module is reached by its entry point."""
