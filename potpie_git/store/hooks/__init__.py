"""Git hooks: where git looks, what is installed there, and whether it runs."""

from potpie_git.store.hooks.manage import install, prove, status, uninstall
from potpie_git.store.hooks.report import HookReport, HookState
from potpie_git.store.hooks.stub import HOOKS

__all__ = ["HOOKS", "HookReport", "HookState", "install", "prove", "status", "uninstall"]
