"""The program's version: part of what an index, a report and a hook were made by."""

__version__ = "0.1.0"
