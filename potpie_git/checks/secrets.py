"""Credentials in added text (C01): detect-secrets' own patterns, loaded only where a line could match one.

Only patterns of tokens are used. The detectors by entropy and by keyword take digests, ids and prose for secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

# Class names by module of detect_secrets.plugins.
DETECTORS: Final = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}

# What each pattern of those detectors cannot do without; a test draws matches from the patterns and looks for these.
_ANCHOR: Final = re.compile(
    r"AKC[a-zA-Z0-9]{10}|AP[\dA-F][a-zA-Z0-9]{8}"
    r"|(?:A3T|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{4}"
    r"|AccountKey=|_authToken=|PRIVATE KEY|PuTTY-User-Key-File"
    r"|://[^\s/:]*:[^\s/:]*@"
    r"|[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\."
    r"|gh[opusr]_[A-Za-z0-9_]{36}"
    r"|gl[a-z]{2,5}-[A-Za-z0-9_-]{20}|GR1348941"
    r"|eyJ[A-Za-z0-9_=-]+\."
    r"|[0-9a-z]{32}-us[0-9]"
    r"|sk-[A-Za-z0-9_-]*T3BlbkFJ|pypi-AgE|SG\.[a-zA-Z0-9_-]{22}\."
    r"|sq0csp-|[rs]k_live_"
    r"|\d{8}:[0-9A-Za-z_-]{35}"
    r"|(?:AC|SK)[a-z0-9]{32}"
)
# The same, for patterns that take either case. Folding can make three characters of one.
_FOLDED_ANCHOR: Final = re.compile(
    r"(?:key|pwd|pw|pass|token).{0,120}[0-9a-z/+_-]{24}|xox[abposr]-|hooks\.slack\.com|api.{1,3}softlayer"
)
# https://user:<password>@host, ${TOKEN}, or APACHEKAFKA: documentation and names.
_PLACEHOLDER: Final = re.compile(r":(?:<[^>]*>|\$?\{[^}]*\}|%[^%]*%|\*+|\.{3}|x+)@", re.IGNORECASE)
_WORD: Final = re.compile(r"\W?AP[A-Z]+\W?")
_BLANK: Final = 4
_BLANKS: Final = re.compile(rf"\s{{{_BLANK + 1},}}")
_WINDOW: Final = 2048
_SHOWN: Final = 4
_LONG: Final = 20


@dataclass(frozen=True, slots=True)
class Secret:
    """What looks like a credential: the kind that its pattern names, its 1-based line, and its text."""

    kind: str
    line: int
    text: str

    @property
    def masked(self) -> str:
        """The start of a long token, which names its issuer, and nothing of a short one."""
        return f"{self.text[:_SHOWN]}****" if len(self.text) >= _LONG else "****"


def added_lines(before: bytes | None, after: bytes) -> list[tuple[int, str]]:
    """Lines of `after`, with their 1-based numbers, that do not stand in `before`."""
    known = set(before.split(b"\n")) if before else set()
    return [
        (number, raw.decode("utf-8", "replace"))
        for number, raw in enumerate(after.split(b"\n"), 1)
        if raw not in known
    ]


def find_secrets(lines: Iterable[tuple[int, str]]) -> list[Secret]:
    """The credentials in numbered lines, in their order."""
    suspect = [(number, piece) for number, line in lines for piece in _pieces(line) if could_match(piece)]
    if not suspect:
        return []
    found = [secret for number, piece in suspect for secret in _in_line(_detectors(), number, piece)]
    return list(dict.fromkeys(found))


def could_match(piece: str) -> bool:
    """False if no detector can match a piece of a line, as `find_secrets` cuts it."""
    return bool(_ANCHOR.search(piece) or _FOLDED_ANCHOR.search(piece.casefold()))


def _pieces(line: str) -> Iterator[str]:
    """A line without long blanks and in windows that overlap: some patterns take the square of what they are given."""
    line = _BLANKS.sub(" " * _BLANK, line)
    if len(line) <= _WINDOW:
        yield line
        return
    for start in range(0, len(line), _WINDOW // 2):
        yield line[start : start + _WINDOW]


def _in_line(detectors: Sequence[Any], number: int, line: str) -> Iterator[Secret]:
    seen: set[str] = set()
    for detector in detectors:
        for pattern in detector.denylist:
            for match in pattern.finditer(line):
                # The whole match, because some patterns capture only a part of the token; some detectors look closer.
                text = match.group().strip()
                if text not in seen and _is_plausible(text) and any(detector.analyze_string(text)):
                    seen.add(text)
                    yield Secret(detector.secret_type, number, text)


def _is_plausible(text: str) -> bool:
    """Not a placeholder, and not the one word in capitals that a pattern of short tokens takes in."""
    return not _PLACEHOLDER.search(text) and not _WORD.fullmatch(text)


@cache
def _detectors() -> tuple[Any, ...]:
    modules = (
        (import_module(f"detect_secrets.plugins.{module}"), name) for module, name in DETECTORS.items()
    )
    return tuple(getattr(module, name)() for module, name in modules)


def mask(text: str, secrets: Iterable[Secret]) -> str:
    """`text` without any of the secrets."""
    for secret in sorted(secrets, key=lambda secret: -len(secret.text)):
        text = text.replace(secret.text, secret.masked)
    return text
