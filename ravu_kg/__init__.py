"""RAVU-KG: a video becomes a spatio-temporal graph in Neo4j, and questions are answered from it."""

__version__ = "0.1.0"
