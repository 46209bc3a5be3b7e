"""Processes of the program without the price of their start: each is forked off one that has loaded the modules.

`python -m tests.support.nursery FD [MODULE]` serves the socket FD, with MODULE loaded as well. For every request, a
JSON line with the words, the working directory and the environment, and with it the descriptors of standard input,
output and error, it forks a process that runs the installed entry point, and answers with its exit status. What is
loaded ahead starts no thread, so that a fork is safe; the index's libraries do, and are loaded by whoever needs
them.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = "potpie-git"
# Not loaded ahead: the server needs a library that starts slowly, and nobody runs the generators here.
_LEFT_OUT = ("potpie_git.mcp", "potpie_git.devtools", "potpie_git.__main__")
_REQUEST = 1 << 20
_MEASURED = "COVERAGE_PROCESS_CONFIG"
# Slow to load. With these settings none of them starts a thread when it is loaded.
_LIBRARIES = ("numpy", "pyarrow", "pyarrow.compute", "pyarrow.dataset", "tokenizers", "lance")
_WITHOUT_THREADS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


class Nursery:
    """The process that is forked from; it is started when it is first needed, and ends with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._settled = _settled()

    def run(self, cwd: Path, args: tuple[str, ...], stdin: str) -> subprocess.CompletedProcess[str] | None:
        """What came of the program; None if it has to be started anew.

        That is while another call is served, where Python's own settings differ from those it was started with, and on
        systems where a fork is not to be relied on.
        """
        if sys.platform != "linux" or _settled() != self._settled or not self._lock.acquire(blocking=False):
            return None
        try:
            return self._run(cwd, args, stdin)
        finally:
            self._lock.release()

    def _run(self, cwd: Path, args: tuple[str, ...], stdin: str) -> subprocess.CompletedProcess[str]:
        request = json.dumps({"args": args, "cwd": str(cwd), "env": dict(os.environ)}).encode() + b"\n"
        server = self._socket = self._socket or self._start()
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin.encode())
            given.seek(0)
            socket.send_fds(server, [request], [given.fileno(), out.fileno(), err.fileno()])
            status = json.loads(server.recv(64))
            out.seek(0)
            err.seek(0)
            said, told = (file.read().decode() for file in (out, err))
        return subprocess.CompletedProcess([NAME, *args], status, said, told)

    @staticmethod
    def _start() -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The nursery itself is not measured: what it forks is, and it has what that takes at hand.
        measured = _MEASURED in os.environ
        env = {name: text for name, text in os.environ.items() if name != _MEASURED}
        with theirs:
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.support.nursery",
                    str(theirs.fileno()),
                    "coverage" if measured else "",
                ],
                cwd=ROOT,
                env=env | _WITHOUT_THREADS,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        return ours


def _settled() -> dict[str, str]:
    """The settings that Python reads when it starts."""
    return {name: text for name, text in os.environ.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


def serve(server: socket.socket, *more: str) -> None:
    """Answer requests until the other side is gone; in a forked process, run the program and do not return."""
    (script,) = entry_points(group="console_scripts", name=NAME)
    script.load()
    package = importlib.import_module("potpie_git")
    for module in pkgutil.walk_packages(package.__path__, "potpie_git."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    for name in filter(None, (*_LIBRARIES, *more)):
        importlib.import_module(name)
    # It means its own threads, and they begin with its first dataset.
    warnings.filterwarnings("ignore", "lance is not fork-safe")
    while True:
        request, descriptors, _, _ = socket.recv_fds(server, _REQUEST, 3)
        if not request:
            return
        child = os.fork()
        if child == 0:
            server.close()
            _become(json.loads(request), descriptors)
            _run(script.load())
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        server.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def _run(program: Callable[[], None]) -> None:
    """Run the program to its end, and what it left for the end, without taking the interpreter down piece by piece."""
    status = 0
    try:
        program()
    except SystemExit as end:
        status = int(end.code or 0)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _become(request: dict[str, object], descriptors: list[int]) -> None:
    """Take on the streams, the directory, the environment and the words of the request."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(dict(request["env"]))  # type: ignore[call-overload]
    sys.argv = [NAME, *request["args"]]  # type: ignore[misc]
    if _MEASURED in os.environ:
        importlib.import_module("coverage").process_startup()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), *sys.argv[2:])
