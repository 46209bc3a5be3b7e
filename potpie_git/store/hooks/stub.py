"""The text of what is installed: POSIX shell that runs the hook that was there before, and then the gate.

Nothing in it names this machine, so that a copy that gets committed works for everybody: the interpreter is read from
the clone's own configuration. It uses no program but git, because a client without a login's PATH has no other.
"""

from __future__ import annotations

from typing import Final

from potpie_git.domain.directory import POT_DIRECTORY

HOOKS: Final = ("pre-commit", "commit-msg", "pre-merge-commit", "pre-push", "post-checkout", "post-merge")
WITH_INPUT: Final = frozenset({"pre-push"})
MARKING: Final = frozenset({"post-checkout", "post-merge"})
PYTHON_SETTING: Final = "potpie.python"
CONSOLE_SCRIPT: Final = "potpie-git-hook"
PREVIOUS_SUFFIX: Final = ".before-potpie"
PROBE: Final = "POTPIE_HOOK_PROBE"
# Written by post-checkout and post-merge, relative to the state directory of the work tree.
MOVED_MARK: Final = "tree-moved"
MARKER: Final = "# potpie-git hook"
FORWARDER_MARKER: Final = "# potpie-git forwards to a hook of core.hooksPath"
BLOCK_BEGIN: Final = (
    "# >>> potpie-git: runs after the commands below; `git potpie hooks uninstall` takes these lines out"
)
BLOCK_END: Final = "# <<< potpie-git"

_HEAD: Final = f"""\
#!/bin/sh
{MARKER} @HOOK@, version 1: runs the hook that was here before, then the gate of {POT_DIRECTORY}/.
# Made by `git potpie hooks install`; `git potpie hooks uninstall` puts back what was here.
hook=@HOOK@
previous=${{0%/*}}/$hook{PREVIOUS_SUFFIX}
"""

_READ_INPUT: Final = """\
input=
while IFS= read -r line || [ -n "$line" ]; do
    input="$input$line
"
done
feed() { printf '%s' "$input" | "$@"; }
"""
_NO_INPUT: Final = 'feed() { "$@"; }\n'

# The framework pre-commit keeps a hook that it finds as NAME.legacy and runs it itself; running its script from there
# would make it run itself.
_PREVIOUS: Final = f"""\
run_previous() {{
    [ -x "$previous" ] && [ -z "${PROBE}" ] || return 0
    if [ -n "$PRE_COMMIT_RUNNING_LEGACY" ]; then
        while IFS= read -r line; do
            case $line in *hook-impl*) return 0 ;; esac
        done <"$previous"
    fi
    feed "$previous" "$@"
}}
run_previous "$@" || exit
"""

_MARK: Final = f"""\
state=$(git rev-parse --git-path potpie) || exit 0
if [ -n "${PROBE}" ]; then
    echo "{CONSOLE_SCRIPT} $hook"
elif [ -d "$state" ]; then
    : >"$state/{MOVED_MARK}"
fi
exit 0
"""

# 97: this interpreter does not have the program (any more), so the next way is tried.
_GATE: Final = f"""\
start='
import sys
try:
    from potpie_git.hook import main
except ModuleNotFoundError:
    sys.exit(97)
sys.exit(main(sys.argv[1:]))
'
status=97
python=$(git config --get {PYTHON_SETTING}) || python=
if [ -x "$python" ]; then
    feed "$python" -P -c "$start" "$hook" "$@"
    status=$?
fi
if [ "$status" -eq 97 ] && command -v {CONSOLE_SCRIPT} >/dev/null 2>&1; then
    feed {CONSOLE_SCRIPT} "$hook" "$@"
    status=$?
fi
[ "$status" -eq 97 ] || exit "$status"

# The program is not there: what does not touch the pot goes on, the rest has to wait.
pushes_a_pot() {{
    while IFS= read -r line; do
        new=${{line% * *}}
        for commit in "${{new##* }}" "${{line##* }}"; do
            ! git cat-file -e "$commit:{POT_DIRECTORY}" 2>/dev/null || return 0
        done
    done
    return 1
}}
case $hook in
pre-push) feed pushes_a_pot || exit 0 ;;
*) ! git diff --cached --quiet --no-ext-diff -- {POT_DIRECTORY} || exit 0 ;;
esac
{{
    echo "potpie-git: $hook has to check {POT_DIRECTORY}/, and the program that does it was not found."
    echo "    It was installed with: ${{python:-(nothing recorded)}}"
    echo "    Install potpie-git again and run \\`git potpie hooks install\\`,"
    echo "    or take the hooks out of this clone: git config --unset {PYTHON_SETTING}; rm \\"$0\\""
}} >&2
exit 1
"""

_BLOCK: Final = f"""\
{BLOCK_BEGIN}
potpie_gate=$(git rev-parse --git-common-dir)/potpie/hooks/@HOOK@
if [ -x "$potpie_gate" ]; then
    if [ -n "${PROBE}" ]; then exec "$potpie_gate"; fi
    @PREPARE@trap 'potpie_status=$?
        trap - EXIT
        [ "$potpie_status" -ne 0 ] || @FEED@"$potpie_gate" "$@" || potpie_status=$?
        exit "$potpie_status"' EXIT
fi
{BLOCK_END}
"""
_PREPARE_INPUT: Final = """potpie_input=$(cat)
    exec <<POTPIE_INPUT
$potpie_input
POTPIE_INPUT
    """


def stub(hook: str) -> str:
    """The whole file of one hook."""
    ways = (_READ_INPUT if hook in WITH_INPUT else _NO_INPUT) + _PREVIOUS
    return (_HEAD + ways + (_MARK if hook in MARKING else _GATE)).replace("@HOOK@", hook)


def block(hook: str) -> str:
    """Lines for a script that a hook manager runs: they let the rest of the script go first.

    The gate stands in the git directory, so that a clone that never installed it runs the script as it was.
    """
    with_input = hook in WITH_INPUT
    return (
        _BLOCK.replace("@HOOK@", hook)
        .replace("@PREPARE@", _PREPARE_INPUT if with_input else "")
        .replace("@FEED@", 'printf "%s\\n" "$potpie_input" | ' if with_input else "")
    )


def forwarder(target: str) -> str:
    """A hook that only runs another, which git would run if this clone had no hooks folder of its own."""
    quoted = "'" + target.replace("'", "'\\''") + "'"
    return f'#!/bin/sh\n{FORWARDER_MARKER}\n[ ! -x {quoted} ] || exec {quoted} "$@"\n'
