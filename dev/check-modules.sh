#!/bin/sh
# Checks that each module imports only the modules that docs/concepts/modules.md lets it import, that the modules which read
# untrusted bytes do not import Foundation, that only transports import SwiftNIO, that the pipeline does not import AssayRPC, and that the
# command line reaches neither the daemon nor its HTTP server.
# A new module gets a line here. With --modules it prints that table, and checks nothing.
set -eu
cd "$(dirname "$0")/.."

# module | folder | Foundation allowed | modules it may import
modules() {
    cat <<'TABLE'
AssayCore|Sources/AssayCore|no|
AssayMetrics|Sources/AssayMetrics|no|
AssayTracing|Sources/AssayTracing|no|AssayMetrics
AssayOTLP|Sources/AssayOTLP|yes|
AssayTraceExport|Sources/AssayTraceExport|yes|AssayOTLP AssayTracing AssayVendors AssayMetrics AssayCore
AssayFiles|Sources/AssayFiles|no|AssayCore
AssayEncoding|Sources/AssayEncoding|no|AssayCore
AssayCertificates|Sources/AssayCertificates|no|AssayEncoding AssayCore
AssayProvisioning|Sources/AssayProvisioning|yes|AssaySigning AssayCertificates AssayEncoding AssayFiles AssayCore
AssayVendors|Sources/AssayVendors|yes|AssayListening AssayTracing AssayMetrics AssayCore
AssaySchemes|Sources/AssaySchemes|yes|AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
AppAttest|Sources/Verifiers/AppAttest|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
AndroidKeyAttestation|Sources/Verifiers/AndroidKeyAttestation|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
PlayIntegrity|Sources/Verifiers/PlayIntegrity|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
KeySignature|Sources/Verifiers/KeySignature|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
DeviceCheck|Sources/Verifiers/DeviceCheck|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
SafetyNet|Sources/Verifiers/SafetyNet|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
CertificateBundle|Sources/Verifiers/CertificateBundle|no|AssaySchemes AssayVendors AssayCertificates AssayEncoding AssayFiles AssayCore
AssayRPC|Sources/AssayRPC|yes|
AssayProtobuf|Sources/AssayProtobuf|no|
AssayListening|Sources/AssayListening|yes|AssayRPC AssayCore
AssayFramedRPC|Sources/AssayFramedRPC|yes|AssayListening AssayRPC AssayProtobuf
AssayAPI|Sources/AssayAPI|yes|AssayProtobuf AssayCore
AssayCompression|Sources/AssayCompression|no|CZlib
AssayHTTP|Sources/AssayHTTP|yes|AssayListening AssayRPC AssayAPI AssayProtobuf AssayCompression AssayCore
AssayHTTPClient|Sources/AssayHTTPClient|no|AssayListening AssayRPC AssayProtobuf AssayCore
AssayClient|Sources/AssayClient|yes|AssayTracing AssayAPI AssayHTTPClient AssayFramedRPC AssayListening AssayRPC AssayFiles AssayCore
AssayLedger|Sources/AssayLedger|no|AssayMetrics AssayCore
AssaySQLite|Sources/AssaySQLite|yes|AssayLedger AssayMetrics AssayCore CSQLite
AssayPostgres|Sources/AssayPostgres|no|AssayLedger AssayMetrics AssayCore CPostgres
AssayPKCS11|Sources/AssayPKCS11|yes|AssayFiles AssayCore CPKCS11
AssaySigning|Sources/AssaySigning|no|AssayPKCS11 AssayEncoding AssayFiles AssayCore
AssayResults|Sources/AssayResults|no|AssaySigning AssayCertificates AssayCompression AssayEncoding AssayCore
AssayPlugin|plugins/sdk/swift/Sources/AssayPlugin|yes|
AssayPlugins|Sources/AssayPlugins|yes|AssayFiles AssayAPI AssayRPC AssayFramedRPC AssayProtobuf AssayCore CPluginProcess
AssayService|Sources/AssayService|yes|AssayResults AssaySigning AssayTracing AssayMetrics AssayAPI AssayRPC AssayCore
AssayAudit|Sources/AssayAudit|no|AssayCore
AssayTop|Sources/AssayTop|yes|AssayAPI
AssayDoctor|Sources/AssayDoctor|no|AssayTop AssayAPI AssayCore
AssayLoad|Sources/AssayLoad|yes|AssaySimulator AssayClient AssayAPI AssayCore
AssayInstallation|Sources/AssayInstallation|no|AssayCertificates AssayCompression AssayEncoding AssayCore
AssayCommandLine|Sources/AssayCommandLine|yes|AssayCore
AssayConfiguration|Sources/AssayConfiguration|yes|AppAttest AndroidKeyAttestation PlayIntegrity KeySignature DeviceCheck SafetyNet CertificateBundle AssayTraceExport AssayTracing AssaySchemes AssayPlugins AssayProvisioning AssayResults AssaySigning AssayPostgres AssaySQLite AssayVendors AssayCertificates AssayCompression AssayEncoding AssayFiles AssayAPI AssayHTTP AssayFramedRPC AssayListening AssayRPC AssayCore
AssayOperations|Sources/AssayOperations|yes|AssayMetrics AssayListening AssayRPC
AssayApps|Sources/AssayApps|yes|AssayConfiguration AssaySchemes AssayPlugins AssayService AssayResults AssaySQLite AssayVendors AssayCertificates AssayFiles AssayCore
AssayDaemon|Sources/AssayDaemon|yes|AssayApps AssayOperations AssayTraceExport AssayTracing AssayMetrics AssayProvisioning AssayResults AssaySigning AssayConfiguration AssaySchemes AssayPlugins AssayService AssayLedger AssayPostgres AssaySQLite AssayVendors AssayCertificates AssayEncoding AssayFiles AssayAPI AssayHTTP AssayFramedRPC AssayListening AssayRPC AssayCore
assayd|Sources/assayd|yes|AssayMetrics AssayDaemon AssayConfiguration AssaySchemes AssayPlugins AssayLedger AssaySQLite AssayAudit AssayCommandLine AssayEvidenceCases AssayVirtualDevices AssaySimulator AssayProvisioning AssayClient AssayFiles AssayAPI AssayRPC AssayCore
assay|Sources/assay|yes|AssayInstallation AssayDoctor AssayTop AssayLoad AssayApps AssayConfiguration AssaySchemes AssayPlugins AssayAudit AssayCommandLine AssayClient AssayVirtualDevices AssaySimulator AssayVendors AssayProvisioning AssayResults AssaySigning AssayCertificates AssayEncoding AssayFiles AssayAPI AssayRPC AssayCore
AssaySimulator|Sources/AssaySimulator|no|AssayEncoding AssayCore
AssayEvidenceCases|Sources/AssayEvidenceCases|no|AssaySimulator AssayClient AssayEncoding AssayAPI AssayCore
AssayVirtualDevices|Sources/AssayVirtualDevices|yes|AssaySimulator AssayCommandLine AssayEncoding AssayCore
AssayTesting|Sources/AssayTesting|yes|AssayCore
FuzzTargets|Fuzz/Targets|yes|AssayInstallation AssayConfiguration AssaySchemes AppAttest AndroidKeyAttestation PlayIntegrity KeySignature DeviceCheck SafetyNet CertificateBundle AssaySimulator AssayProvisioning AssayResults AssaySigning AssayVendors AssayCertificates AssayCompression AssayEncoding AssayAPI AssayHTTP AssayFramedRPC AssayRPC AssayCore
CSQLite|Sources/CSQLite|yes|
CZlib|Sources/CZlib|yes|
CPostgres|Sources/CPostgres|yes|
CPKCS11|Sources/CPKCS11|yes|
CPluginProcess|Sources/CPluginProcess|yes|
CFaultVFS|Sources/CFaultVFS|yes|CSQLite
TABLE
}

[ "${1:-}" != --modules ] || { modules; exit 0; }

# Modules that may import SwiftNIO. Calls and services know no transport.
nio="AssayListening AssayFramedRPC AssayHTTP AssayHTTPClient AssayOperations AssayTraceExport AssayVendors AssayTesting FuzzTargets"
# Folders that may not import AssayRPC: what judges requests knows no calls.
without_calls="Sources/AssayService/Judging Sources/AssayService/Pipeline Sources/AssayService/Freshness"

# Every folder that holds a module is in the table.
failed=0
for folder in Sources/* Sources/Verifiers/*; do
    [ -d "$folder" ] && [ "$folder" != Sources/Verifiers ] || continue
    if ! modules | cut -d'|' -f2 | grep -qx "$folder"; then
        echo "modules: $folder is not in the table of dev/check-modules.sh" >&2
        failed=1
    fi
done

# The command line reaches nothing of the daemon alone, over any number of modules.
modules | awk -F'|' '
    { allowed[$1] = $4 }
    END {
        queue[1] = path["assay"] = "assay"
        for (i = count = 1; i <= count; i++) {
            names = split(allowed[queue[i]], name, " ")
            for (j = 1; j <= names; j++) {
                if (name[j] in path) continue
                queue[++count] = name[j]
                path[name[j]] = path[queue[i]] " > " name[j]
            }
        }
        names = split("AssayDaemon AssayOperations", name, " ")
        for (j = 1; j <= names; j++) {
            if (!(name[j] in path)) continue
            print "modules: the command line must not reach " path[name[j]] | "cat >&2"
            failed = 1
        }
        exit failed
    }' || failed=1

all=$(modules | cut -d'|' -f1 | tr '\n' ' ')
found=$(mktemp)
trap 'rm -f "$found"' EXIT
modules | while IFS='|' read -r module folder foundation allowed; do
    [ -d "$folder" ] || continue
    find "$folder" -name '*.swift' -exec awk -v module="$module" -v allowed=" $allowed " -v all=" $all " \
        -v foundation="$foundation" -v nio=" $nio " -v without_calls="$without_calls" '
        /^[ \t]*(@[A-Za-z_()]+[ \t]+)*((public|package|internal|fileprivate|private)[ \t]+)?import[ \t]/ {
            line = $0
            sub(/.*import[ \t]+((struct|class|enum|protocol|func|typealias|let|var|actor)[ \t]+)?/, "", line)
            sub(/[^A-Za-z0-9_].*/, "", line)
            if (index(all, " " line " ") && !index(allowed, " " line " "))
                printf "%s:%d: %s must not import %s\n", FILENAME, FNR, module, line
            if (foundation == "no" && line ~ /^Foundation/)
                printf "%s:%d: %s must not import Foundation\n", FILENAME, FNR, module
            if (line ~ /^_?NIO/ && !index(nio, " " module " "))
                printf "%s:%d: %s must not import SwiftNIO\n", FILENAME, FNR, module
            if (line == "AssayRPC") {
                count = split(without_calls, folders, " ")
                for (i = 1; i <= count; i++)
                    if (index(FILENAME, folders[i] "/") == 1)
                        printf "%s:%d: %s must not import AssayRPC\n", FILENAME, FNR, folders[i]
            }
        }' {} +
done >"$found"
if [ -s "$found" ]; then
    cat "$found" >&2
    failed=1
fi
[ "$failed" -eq 0 ] || exit 1
echo "modules: every import is allowed by dev/check-modules.sh"
