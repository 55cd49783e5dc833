#!/bin/sh
# Checks that a platform is named in its own folder only: everything else sees it through Sources/AssaySchemes. Comments may name platforms.
# A new platform gets a line here.
set -eu
cd "$(dirname "$0")/.."

# platform's folder below Sources/Verifiers ; expression (ERE, lower case) for its name in identifiers and texts
platforms() {
    cat <<'TABLE'
AppAttest;app[_ -]?attest
AndroidKeyAttestation;android(app|policy|key|device|revocation|attestation|section)|key[_ -]?attestation
PlayIntegrity;play[_ -]?integrity
DeviceCheck;device[_ -]?check
SafetyNet;safety[_ -]?net
KeySignature;key[_ -]?signature
CertificateBundle;certificate[_ -]?bundle
TABLE
}

# Files that may name every platform: the list of schemes; the API's messages, their one mapping, examples of them, and the names of formats; the table of reason
# codes; the simulator, the folders of its devices, the cases for tests of callers and the devices of a load; the commands that make evidence or read it from options; what writes a
# first configuration.
allowed="Sources/AssayConfiguration/Schemes.swift
Sources/AssayAPI/Generated/
Sources/AssayAPI/Mapping/
Sources/AssayAPI/OpenAPI/OpenAPIExamples.swift
Sources/AssayCore/Appraisal/Evidence+Formats.swift
Sources/AssayCore/Appraisal/KeySignatureAlgorithm.swift
Sources/AssayCore/Appraisal/CertificateBundle.swift
Sources/AssayCore/Primitives/ReasonCode.swift
Sources/AssayCore/Primitives/ReasonGuidance
Sources/AssaySimulator/
Sources/assay/
Sources/AssayVirtualDevices/
Sources/AssayEvidenceCases/
Sources/AssayLoad/Devices/
Sources/AssayInstallation/
Sources/assayd/Dev/"

# A rule between two platforms names the other one by the key of its section; signatures of both kinds have the same algorithms.
allowed="$allowed
Sources/Verifiers/AndroidKeyAttestation/Section/:PlayIntegrity
Sources/Verifiers/CertificateBundle/CertificateSignatureVerifier.swift:KeySignature"

# The form that files with evidence have, for commands and for tests of policies: two layouts have types of their own.
allowed="$allowed
Sources/AssayConfiguration/Inspection/EvidenceFile.swift:KeySignature
Sources/AssayConfiguration/Inspection/EvidenceFile.swift:CertificateBundle"

# A request for a renewal carries a signature, by one of the algorithms of registered keys.
allowed="$allowed
Sources/AssayClient/CertificateRequests.swift:KeySignature"

# The EU wallet's key attestation is a result that Assay signs, and has no more than the name in common with a platform's.
allowed="$allowed
Sources/AssayCore/Results/ResultShape.swift:AndroidKeyAttestation
Sources/AssayResults/:AndroidKeyAttestation
Sources/AssayService/Results/:AndroidKeyAttestation
Sources/AssayConfiguration/Apps/ResultRule+Reading.swift:AndroidKeyAttestation
Sources/AssayConfiguration/Sections/ResultSettings+Checks.swift:AndroidKeyAttestation"

platforms | awk -F';' -v allowed="$allowed" '
    NR == FNR { folder[++count] = "Sources/Verifiers/" $1 "/"; name[count] = $1; expression[count] = $2; next }
    FNR == 1 {
        skip = 0
        entries = split(allowed, places, "\n")
        split("", pardoned)
        for (i = 1; i <= entries; i++) {
            parts = split(places[i], place, ":")
            if (index(FILENAME, place[1]) != 1) continue
            if (parts > 1) pardoned[place[2]] = 1
            else skip = 1
        }
    }
    skip { nextfile }
    {
        line = tolower($0)
        sub(/\/\/.*/, "", line)
        for (i = 1; i <= count; i++)
            if (line ~ expression[i] && index(FILENAME, folder[i]) != 1 && !(name[i] in pardoned)) {
                printf "%s:%d: names %s\n", FILENAME, FNR, name[i] | "cat >&2"
                failed = 1
            }
    }
    END { exit failed }' - $(find Sources -name '*.swift' | LC_ALL=C sort) || {
    echo "platforms: the lines above name a platform outside its folder (docs/extend/add-a-platform.md)" >&2
    exit 1
}
echo "platforms: each is named in its folder only"
