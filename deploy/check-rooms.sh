#!/bin/sh
# Checks that each room imports only the rooms that the design lets it import (docs/architecture.md), and that the rooms
# which read untrusted bytes do without Foundation. A new room gets a line here.
set -eu
cd "$(dirname "$0")/.."

# room | folder | Foundation allowed | rooms it may import
rooms() {
    cat <<'TABLE'
AssayCore|Sources/AssayCore|no|
AssayEncoding|Sources/AssayEncoding|no|AssayCore
AssayCertificates|Sources/AssayCertificates|no|AssayEncoding AssayCore
AppAttest|Sources/Verifiers/AppAttest|no|AssayCertificates AssayEncoding AssayCore
DeviceCheck|Sources/Verifiers/DeviceCheck|no|AssayCore
KeySignature|Sources/Verifiers/KeySignature|no|AssayCertificates AssayCore
AndroidKeyAttestation|Sources/Verifiers/AndroidKeyAttestation|no|AssayCertificates AssayEncoding AssayCore
PlayIntegrity|Sources/Verifiers/PlayIntegrity|no|AssayEncoding AssayCore
SafetyNet|Sources/Verifiers/SafetyNet|no|AssayCertificates AssayEncoding AssayCore
AssayRPC|Sources/AssayRPC|yes|
AssayAPI|Sources/AssayAPI|yes|AssayCore
AssayClient|Sources/AssayClient|yes|AssayAPI AssayRPC AssayCore
AssayStore|Sources/AssayStore|yes|AssayCore CSQLite
AssayFeeds|Sources/AssayFeeds|yes|AssayEncoding AssayCore
AssayService|Sources/AssayService|yes|AssayAPI AssayRPC AssayCore
AssayHost|Sources/AssayHost|yes|AssayService AssayStore AssayFeeds AppAttest AndroidKeyAttestation KeySignature PlayIntegrity SafetyNet DeviceCheck AssayCertificates AssayEncoding AssayAPI AssayRPC AssayCore
assayd|Sources/assayd|yes|AssayHost
assay|Sources/assay|yes|AssayHost AssayClient AssaySimulator AssayCertificates AssayAPI AssayCore
AssaySimulator|Sources/AssaySimulator|no|AssayCore
AssayTesting|Sources/AssayTesting|yes|AssayCore
FuzzTargets|Fuzz/Targets|yes|AssayHost AssaySimulator AssayFeeds AppAttest AndroidKeyAttestation KeySignature PlayIntegrity SafetyNet AssayCertificates AssayEncoding AssayAPI AssayRPC AssayCore
CSQLite|Sources/CSQLite|yes|
CFaultVFS|Sources/CFaultVFS|yes|CSQLite
TABLE
}

# Every folder that holds a room stands in the table.
failed=0
for folder in Sources/* Sources/Verifiers/*; do
    [ -d "$folder" ] && [ "$folder" != Sources/Verifiers ] || continue
    if ! rooms | cut -d'|' -f2 | grep -qx "$folder"; then
        echo "rooms: $folder is not in the table of deploy/check-rooms.sh" >&2
        failed=1
    fi
done

house=$(rooms | cut -d'|' -f1 | tr '\n' ' ')
found=$(mktemp)
trap 'rm -f "$found"' EXIT
rooms | while IFS='|' read -r room folder foundation allowed; do
    [ -d "$folder" ] || continue
    find "$folder" -name '*.swift' -exec awk -v room="$room" -v allowed=" $allowed " -v house=" $house " -v foundation="$foundation" '
        /^[ \t]*(@[A-Za-z_()]+[ \t]+)*((public|package|internal|fileprivate|private)[ \t]+)?import[ \t]/ {
            line = $0
            sub(/.*import[ \t]+((struct|class|enum|protocol|func|typealias|let|var|actor)[ \t]+)?/, "", line)
            sub(/[^A-Za-z0-9_].*/, "", line)
            if (index(house, " " line " ") && !index(allowed, " " line " "))
                printf "%s:%d: %s must not import %s\n", FILENAME, FNR, room, line
            if (foundation == "no" && line ~ /^Foundation/)
                printf "%s:%d: %s does without Foundation\n", FILENAME, FNR, room
        }' {} +
done >"$found"
if [ -s "$found" ]; then
    cat "$found" >&2
    failed=1
fi
[ "$failed" -eq 0 ] || exit 1
echo "rooms: every import follows the arrows"
