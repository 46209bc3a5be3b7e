"""The command line's verbs as tools of the Model Context Protocol, over standard input and output."""
