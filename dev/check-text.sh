#!/bin/sh
# Checks that text from outside is compared as bytes where evidence is read. Swift's String compares by Unicode equivalence, so that
# other bytes can be "equal": the Kelvin sign is "K". Compare by OpaqueText, hasBytes(of:), spells(_:) or init(bytesOf:). A line that
# compares none, but numbers or words of our own, ends in "// not text from outside".
set -eu
cd "$(dirname "$0")/.."

# Where evidence, tokens and lists are read and judged, and requests in JSON. The folders Section (the operator's configuration), Inspection and Vectors (tools) of a
# platform are not.
folders="Sources/Verifiers Sources/AssayEncoding Sources/AssayCertificates Sources/AssayCore/Revocation Sources/AssayAPI/Transcoding Sources/AssayVendors/Google/AttestationStatusList.swift"

# Enumerations of texts: their init(rawValue:) is by Unicode equivalence. Codes of ours are no text from outside.
words=$(grep -rhoE 'enum [A-Za-z]+: String' --include='*.swift' Sources | sed -E 's/enum ([A-Za-z]+).*/\1/' | sort -u \
    | grep -vx ReasonCode | paste -sd'|' -)

found=$(
    # A comparison with a literal, a case of a switch over text, a set or dictionary of text, a case by its text.
    grep -rnE --include='*.swift' \
        -e '[!=]= "' -e '" [!=]= ' -e '^[^/]*case "' -e 'Set<String>' -e '[[ ]String: [A-Z[]' \
        -e "(^|[^A-Za-z])($words)(\.init)?\(rawValue:" $folders \
        | grep -vE '// not text from outside$|^[^:]*:[0-9]*: *//' \
        | grep -vE '^Sources/Verifiers/[A-Za-z]+/(Section|Inspection|Vectors)/' \
        | grep -vE '\{ \$0 [!=]= "[^"\\]" \}' || true # one character among the characters of a text
)
if [ -n "$found" ]; then
    echo "$found" | sed 's/$/ <- text that may come from outside is compared by Unicode equivalence/' >&2
    exit 1
fi
echo "text: what comes from outside is compared as bytes"
