"""The languages in which the pages show requests, in their order. A language is a module with

    KEY, TITLE, FENCE   its name in commands, on pages and for highlighting
    SENDS_KEY           whether its program sends the API key to the recorder
    SETUP               the code around a call, for the first page; a program takes its calls at CALLS, or at its end
    snippet(method)     a call
    missing()           what a trial needs and is not here, or None
    run(program)        compiles the calls of a program, and runs it; raises Broken. Returns what was left out, if something was
"""

from . import curl, go, java, node, python, rust

LANGUAGES = [curl, python, node, go, java, rust]
