"""Plans, the seven reasoning functions, and answers with their evidence."""
