"""The cases against the scripted server, by what they are about."""

from typing import List

from case import Case

from . import answers, errors, refusals, requests, retries, transport, trust


def all_cases() -> List[Case]:
    """Every case, in order. Names are unique."""
    cases = [each for module in (answers, requests, refusals, errors, retries, transport, trust) for each in module.cases()]
    names = [each.name for each in cases]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
    return cases
