"""What a plugin declares: its name, formats, claims, codes, configuration and handlers. The numbers are those of plugin.proto."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from .appraisal import Appraisal
    from .call import Call
    from .evidence import Events, Evidence
    from .settings import Settings

C = TypeVar("C")
"""The type of the plugin's configuration."""

PROTOCOL_VERSION = 1
SIZE_LIMIT = 524288
LIST_LIMIT, FORMAT_LIMIT = 64, 16
MEASURE_LIMIT, SIGNAL_LIMIT = 16, 32


class Purpose(IntEnum):
    REGISTER = 1
    ASSERT = 2
    PROVISION = 3
    RENEW = 4


class Freshness(IntEnum):
    """What keeps evidence from being accepted twice, and with it what `appraise` has to say."""

    CHALLENGE = 1
    """The device signs `evidence.client_data`: call `verified_client_data`."""
    SINGLE_USE = 2
    """The evidence has a nonce of its own: call `use_token`."""
    STATEMENT = 3
    """The same evidence may come again: call `statement`."""
    PAYLOAD = 4
    """The evidence is a part of the payload that another piece binds: call `verified_payload`."""


class ClaimKind(IntEnum):
    """The value's type in Python is str, int, bool, bytes, a list of str; a time is int (milliseconds since 1970) or an aware datetime."""

    TEXT = 1
    INTEGER = 2
    BOOLEAN = 3
    BYTES = 4
    TEXTS = 5
    TIME = 6


class Retry(IntEnum):
    """What a caller may do after a rejection."""

    NEVER = 1
    NEW_CHALLENGE = 2
    RE_ATTEST = 3
    LATER = 4
    CONTACT_OPERATOR = 5


class ValueKind(IntEnum):
    ANY = 0
    TEXT = 1
    INTEGER = 2
    NUMBER = 3
    BOOLEAN = 4
    LIST = 5
    OBJECT = 6
    SECRET_FILE = 7
    """The operator names a file, the plugin is given its content as text."""


class HostService(IntEnum):
    """What is asked of the host beside log lines and metrics."""

    FIND_DEVICE = 1
    FIND_USED = 2
    GET_ANCHORS = 3
    FIND_FLEET_DEVICE = 4
    DERIVE_KEY = 5
    FLAG_DEVICE = 6


class Assurance(IntEnum):
    """How strong evidence is. The catalog has a ceiling."""

    NONE = 0
    SOFTWARE = 1
    PLATFORM = 2
    HARDWARE = 3
    SECURE_ELEMENT = 4


class Outcome(IntEnum):
    """What a measurement says."""

    PASS = 1
    """It speaks for the capture."""
    FAIL = 2
    """It speaks against the capture, which alone rejects nothing."""
    UNAVAILABLE = 3
    """It could not be measured."""


class Level(IntEnum):
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4


@dataclass(frozen=True)
class Claim:
    """A claim that appraisals may have."""

    name: str
    kind: ClaimKind
    meaning: str


@dataclass(frozen=True)
class Code:
    """A reason code of the plugin's own. Codes of docs/reference/reason-codes.md need no declaration."""

    code: str
    retry: Retry
    meaning: str
    vendor_code: str = ""
    """The code of another system that callers must speak, shown with the finding: at most 64 printable ASCII characters."""


@dataclass(frozen=True)
class Key:
    """A key at the top of the configuration."""

    name: str
    kind: ValueKind
    meaning: str
    required: bool = False


@dataclass(frozen=True)
class Prepared:
    """The answer of `prepare`, in a form that the plugin defines."""

    body: bytes
    expiry_ms: int = 0
    """When it ends, in milliseconds since 1970; 0: it does not say."""


@dataclass(frozen=True)
class Format(Generic[C]):
    """A format of evidence that the plugin appraises."""

    name: str
    purposes: Sequence[Purpose]
    size_limit: int
    """1 to 524288 bytes. Larger bodies are refused without a call."""
    freshness: Freshness
    appraise: Callable[[Appraisal[C], Evidence], None]
    """Judges evidence: checks first, then claims and an effect."""
    locate: Callable[[Call[C], Evidence], bytes] | None = None
    """The subject key of the plugin's device that the evidence is about, or b"". Asks nothing. A body that cannot be read is a `Refusal`."""
    prepare: Callable[[Call[C], Evidence], Prepared] | None = None
    """Makes what a device needs before it can make evidence. A body that is wrong is a `Refusal`."""
    claims: Sequence[Claim] = ()
    codes: Sequence[Code] = ()
    measures: Sequence[str] = ()
    """Freshness by payload: the signals of the confidence that appraisals may measure, each [a-z0-9_]{1,32}, such as "lidar". At most 16."""

    claim_kinds: dict[str, ClaimKind] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim_kinds", {claim.name: claim.kind for claim in self.claims})
        expect(bool(re.fullmatch(r"[a-z0-9.-]{1,64}", self.name)), f"a format's name is [a-z0-9.-]{{1,64}}, found {self.name!r}")
        expect(len(self.purposes) > 0, f"the format {self.name} has no purpose")
        expect(1 <= self.size_limit <= SIZE_LIMIT, f"the size limit of {self.name} is 1 to {SIZE_LIMIT}, found {self.size_limit}")
        check_names("claim", [claim.name for claim in self.claims])
        check_names("code", [code.code for code in self.codes])
        for code in self.codes:
            expect(bool(re.fullmatch(r"[ -~]{0,64}", code.vendor_code)), f"a vendor code has at most 64 printable ASCII characters, found {code.vendor_code!r}")
        check_names("measure", self.measures)
        expect(len(self.measures) <= MEASURE_LIMIT and all(len(signal) <= SIGNAL_LIMIT for signal in self.measures),
               f"the format {self.name} measures at most {MEASURE_LIMIT} signals, with names of at most {SIGNAL_LIMIT} characters")
        expect(not self.measures or self.freshness == Freshness.PAYLOAD, f"the format {self.name} measures, and its freshness is not by payload")


@dataclass(frozen=True)
class Plugin(Generic[C]):
    """A plugin. A declaration that the daemon would refuse raises ValueError with a sentence."""

    name: str
    """[a-z0-9-]{1,64}: that of the catalog's entry."""
    version: str
    formats: Sequence[Format[C]] = ()
    configuration_keys: Sequence[Key] = ()
    host_services: Sequence[HostService] = ()
    read_configuration: Callable[[Settings], C] | None = None
    """Reads the configuration, and reports problems by its argument. It serves Validate and Configure: it changes nothing else."""
    observe: Callable[[Call[C], Events], None] | None = None
    check_health: Callable[[Call[C]], str | None] | None = None
    """A sentence that says why the plugin cannot work; None or empty if it can."""
    concurrency: int = 1
    """1: handlers run one after the other in one thread. More: on so many threads, for handlers that wait for something outside."""

    formats_by_name: dict[bytes, Format[C]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "formats_by_name", {declared.name.encode(): declared for declared in self.formats})
        expect(bool(re.fullmatch(r"[a-z0-9-]{1,64}", self.name)), f"a plugin's name is [a-z0-9-]{{1,64}}, found {self.name!r}")
        expect(len(self.version.encode()) <= 64, "a plugin's version has at most 64 bytes")
        expect(len(self.formats) <= FORMAT_LIMIT, f"a plugin has at most {FORMAT_LIMIT} formats, found {len(self.formats)}")
        expect(len(self.formats_by_name) == len(self.formats), "two formats have one name")
        expect(bool(self.formats or self.observe), "a plugin has a format, or observes")
        expect(1 <= self.concurrency <= 64, f"concurrency is 1 to 64, found {self.concurrency}")
        check_names("configuration key", [key.name for key in self.configuration_keys])


def expect(condition: bool, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)


def check_names(kind: str, names: Sequence[str]) -> None:
    expect(len(names) <= LIST_LIMIT, f"at most {LIST_LIMIT} declarations of a {kind} are possible, found {len(names)}")
    expect(len(set(names)) == len(names), f"two declarations of a {kind} have one name")
    for name in names:
        expect(bool(re.fullmatch(r"[a-z0-9_]{1,64}", name)), f"the name of a {kind} is [a-z0-9_]{{1,64}}, found {name!r}")


def description_of(plugin: Plugin[Any]) -> Any:
    """The DescribeResponse."""
    from .generated import plugin_pb2 as messages

    return messages.DescribeResponse(
        name=plugin.name.encode(), version=plugin.version, protocol_versions=[PROTOCOL_VERSION], observes=plugin.observe is not None,
        host_services=[int(service) for service in plugin.host_services],
        configuration_keys=[
            messages.ConfigurationKey(name=key.name.encode(), kind=int(key.kind), required=key.required, meaning=key.meaning)
            for key in plugin.configuration_keys],
        formats=[
            messages.Format(
                name=declared.name.encode(), purposes=[int(purpose) for purpose in declared.purposes], size_limit=declared.size_limit,
                freshness=int(declared.freshness), locates=declared.locate is not None, prepares=declared.prepare is not None,
                claims=[messages.ClaimDeclaration(name=claim.name.encode(), kind=int(claim.kind), meaning=claim.meaning)
                        for claim in declared.claims],
                codes=[messages.CodeDeclaration(
                    code=code.code.encode(), retry=int(code.retry), meaning=code.meaning, vendor_code=code.vendor_code)
                       for code in declared.codes],
                measures=[signal.encode() for signal in declared.measures])
            for declared in plugin.formats])
