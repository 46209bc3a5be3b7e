"""Where plans are kept: one JSON file each under the work tree's state directory, never in the tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from potpie_git.domain.errors import InvalidInputError, NotFoundError
from potpie_git.domain.plan import Plan
from potpie_git.domain.text import sha256_hex
from potpie_git.store.errors import storage_errors
from potpie_git.store.repository import Repository
from potpie_git.write.identifiers import is_plan_id, made_at

# What a plan became is told by its commit's trailers; the plan itself is only kept as long as somebody may ask for it.
KEPT_FOR: Final = timedelta(days=60)
_FOLDER: Final = "plans"
_KEYS: Final = "keys"


class PlanNotFound(NotFoundError):
    code = "plan_not_found"
    default_hint = "Plans belong to one work tree and are kept for 60 days; propose again."


class IdempotencyMismatch(InvalidInputError):
    """An idempotency key came back with another payload."""

    code = "idempotency_mismatch"
    default_hint = "Use a new key for another payload."


class KeyRecord(BaseModel):
    """What an idempotency key stands for: the plan it led to, and the digest of the payload."""

    model_config = ConfigDict(extra="forbid")

    plan_id: str
    payload: str


class PlanStore:
    """Plans of one work tree, by id and by idempotency key. Raises `StorageError` if the disk refuses."""

    def __init__(self, repository: Repository) -> None:
        self._folder = repository.state_dir / _FOLDER

    def save(self, plan: Plan) -> None:
        """Write a plan whole, or leave what was there."""
        write_whole(self._path(plan.plan_id), plan.model_dump_json(exclude_defaults=True).encode())

    def get(self, plan_id: str) -> Plan:
        """The plan with this id. Raises `PlanNotFound`."""
        if not is_plan_id(plan_id):
            raise PlanNotFound(
                f"{plan_id!r} is not a plan's id", hint="It starts with p-, as `graph propose` printed it."
            )
        raw = _read(self._path(plan_id))
        if raw is None:
            raise PlanNotFound(f"there is no plan {plan_id}")
        try:
            return Plan.model_validate_json(raw)
        except ValidationError as error:
            raise PlanNotFound(f"plan {plan_id} is unreadable ({error.error_count()} faults)") from error

    def all(self) -> Iterator[Plan]:
        """Every plan, the newest first; unreadable ones are left out."""
        for name in sorted(self._names(), reverse=True):
            try:
                yield self.get(name)
            except PlanNotFound:
                continue

    def by_key(self, key: str, payload: str) -> Plan | None:
        """The plan that `key` led to. Raises `IdempotencyMismatch` if that was for another payload digest."""
        raw = _read(self._key_path(key))
        if raw is None:
            return None
        try:
            record = KeyRecord.model_validate_json(raw)
            plan = self.get(record.plan_id)
        except (ValidationError, PlanNotFound):
            return None
        if record.payload != payload:
            raise IdempotencyMismatch(
                f"the idempotency key {key!r} was used for another payload, which became plan {record.plan_id}",
                detail={"plan_id": record.plan_id},
            )
        return plan

    def bind_key(self, key: str, payload: str, plan_id: str) -> None:
        """Remember that `key` led to this plan."""
        record = KeyRecord(plan_id=plan_id, payload=payload)
        write_whole(self._key_path(key), record.model_dump_json().encode())

    def prune(self, now: datetime) -> None:
        """Remove plans that were made more than `KEPT_FOR` ago."""
        for name in self._names():
            if now - made_at(name) > KEPT_FOR:
                with storage_errors(self._folder):
                    self._path(name).unlink(missing_ok=True)

    def _names(self) -> list[str]:
        with storage_errors(self._folder):
            try:
                names = [entry.name.removesuffix(".json") for entry in os.scandir(self._folder)]
            except FileNotFoundError:
                return []
        return [name for name in names if is_plan_id(name)]

    def _path(self, plan_id: str) -> Path:
        return self._folder / f"{plan_id}.json"

    def _key_path(self, key: str) -> Path:
        return self._folder / _KEYS / f"{sha256_hex(key)[:32]}.json"


def write_whole(path: Path, raw: bytes, *, durable: bool = False) -> None:
    """Write a state file so that it is there whole or not at all; `durable` makes it survive a power cut."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with aside.open("wb") as handle:
                handle.write(raw)
                if durable:
                    handle.flush()
                    os.fsync(handle.fileno())
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
        if durable:
            sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> bytes | None:
    with storage_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
