"""Project memory that lives in the repository and is reviewed like code."""

__version__ = "0.1.0"
