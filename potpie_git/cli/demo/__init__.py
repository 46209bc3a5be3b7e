"""The demo: a day with an example pot, played in a temporary repository with real git, hooks and index."""
