"""Instructions for agents, as files where agents look for them: what there is, and what is installed."""

from potpie_git.store.skills.catalogue import SKILLS, TARGETS, Skill, Target
from potpie_git.store.skills.manage import SkillFile, install, remove, status
from potpie_git.store.skills.text import State

__all__ = ["SKILLS", "TARGETS", "Skill", "SkillFile", "State", "Target", "install", "remove", "status"]
