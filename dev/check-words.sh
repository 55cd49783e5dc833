#!/bin/sh
# Checks that code, documents and commands use the field's words (docs/concepts/terms.md, CONTRIBUTING.md, "Words"). Each line below names an
# expression that may not occur, and the plain word. Words in identifiers count too: withHouse has the word house.
set -eu
cd "$(dirname "$0")/.."

# Not checked: docs/decisions, as history; the messages in proto/, whose comments are generated code, and docs/openapi.yaml and
# docs/reference/rpc, which have these comments; .build.
parts="Sources Tests Fuzz Benchmarks plugins docs examples clients deploy dev proto README.md CONTRIBUTING.md SECURITY.md
CHANGELOG.md Makefile Package.swift"

# expression (ERE, lower case, whole words) | plain word
words() {
    cat <<'TABLE'
rooms?|module
houses?|package, daemon, project
housekeeping|maintenance
exams?|contract test
desks?|(the type's task)
lanes?|route, client
dut(y|ies)|task, guarantee
floors?|lower limit, server state
rosters?|limiter, list
turnstiles?|limiter
gatekeepers?|authorizer
switchboards?|methods
mobs?|hostile clients
crowds?|many connections
guardians?|reaper
ordeals?|fault scenario
notebooks?|expected state
hallmarks?|(only in the first sentence of README.md and docs/concepts/architecture.md)
mint(s|ed|ing)?|make, issue
errands?|task
whoever|the caller, anyone who, a caller that
whomever|(name the person or part)
nobody|no caller, not known, nothing
somebody|a caller, another user, a process
whatever (is|was|came|comes|stands|lies|reaches|it|they|he|else)|any, every
whichever|any
none that|not a … that
one's own|its own
for ever|forever, permanently
anew|again
at sight|immediately
had to be|expected:
lends|extends
heeds?|respects, follows
mend(s|ed)?|fix
TABLE
}

# Where a word of the table is right: names of others (KeyMint, the user nobody), and messages of the daemon that callers and operators
# may have learned to look for.
allowed='key ?mint|user nobody|"nobody"|(no|has|have|leave|leaves|little|more|enough|makes?|for want of) room'
allowed="$allowed|unix_user: nobody|nobody may call|nobody asks google|somebody listens there|nobody listens there|there is room again for uses|room again|whoever certifies it|whoever reaches a tcp address|is started anew|strikes a hallmark that anyone can check"

files=$(find $parts -type f \
    \( -name '*.swift' -o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.yaml' -o -name '*.service' -o -name Makefile \) \
    -not -path '*/.build*' -not -path '*/Generated/*' -not -path 'docs/decisions/*' -not -path docs/openapi.yaml -not -path "docs/reference/rpc/*" -not -path dev/check-words.sh | sort)

[ -n "$files" ] || { echo "words: no files found" >&2; exit 1; }

table=$(mktemp)
trap 'rm -f "$table"' EXIT
words >"$table"

found=$(
    awk -v allowed="$allowed" '
        FILENAME == ARGV[1] { split($0, entry, "|"); cut = match($0, /\|[^|]*$/)
            expression[++rows] = "(^|[^a-z])(" substr($0, 1, cut - 1) ")($|[^a-z])"; plain[rows] = substr($0, cut + 1)
            any = any (rows > 1 ? "|" : "") substr($0, 1, cut - 1); next }
        FNR == 1 {
            all = "(^|[^a-z])(" any ")($|[^a-z])"
        }
        {
            line = $0
            # withHouse: with House
            while (match(line, /[a-z][A-Z]/)) line = substr(line, 1, RSTART) " " substr(line, RSTART + 1)
            line = tolower(line)
            if (line !~ all) next
            gsub(allowed, "", line)
            for (row = 1; row <= rows; row++)
                if (match(line, expression[row])) {
                    word = substr(line, RSTART, RLENGTH)
                    gsub(/^[^a-z]|[^a-z]$/, "", word)
                    printf "%s:%d: \"%s\": write %s\n", FILENAME, FNR, word, plain[row]
                }
        }' "$table" $files
)
if [ -n "$found" ]; then
    echo "$found" >&2
    exit 1
fi
echo "words: none of the words in dev/check-words.sh occurs"
