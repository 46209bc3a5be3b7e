"""Snapshots of a pot; `potpie_git.store.snapshot` is the front."""
