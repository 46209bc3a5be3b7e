"""Tools for maintainers: they generate committed files and are never needed at run time."""
