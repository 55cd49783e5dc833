import AssayCore
import AssayEncoding
import AssaySimulator

@testable import AndroidKeyAttestation

/// The key description: its form, its challenge, its levels, and its statements about boot, key and app.
extension SampleCase {
    static let descriptions: [SampleCase] = forms + challenges + levels + boots + keys + apps

    private static let forms: [SampleCase] = [
        SampleCase("seven elements", "malformed_extension") { $0.changes = .genuine.elements { $0.removeLast() } },
        SampleCase("nine elements", "malformed_extension") { $0.changes = .genuine.elements { $0.append(DERWriter.null) } },
        SampleCase("a level as an INTEGER", "malformed_extension") {
            $0.changes = .genuine.elements { $0[1] = DERWriter.integer(1) }
        },
        SampleCase("a byte after the description", "malformed_extension") {
            $0.changes = .genuine.descriptionBytes { $0.append(0) }
        },
        SampleCase("a description that is cut off", "malformed_extension") {
            $0.changes = .genuine.descriptionBytes { $0.removeLast() }
        },
        SampleCase("a level that does not exist", "malformed_extension") {
            $0.changes = .genuine.description { ($0.attestationLevel, $0.keyMintLevel) = (3, 3) }
        },
        SampleCase("a tag twice", "malformed_extension") {
            $0.changes = .genuine.description { $0.hardware.append(.origin, DERWriter.integer(0)) }
        },
        SampleCase("a flag that holds something", "malformed_extension") {
            $0.changes = .genuine.description { $0.hardware[.noAuthRequired] = DERWriter.boolean(true) }
        },
        SampleCase("a negative number", "malformed_extension") {
            $0.changes = .genuine.description { $0.hardware[.origin] = DERWriter.integer(content: [0xFF]) }
        },
        SampleCase("an unknown tag", "accepted", note: "unknown_tags") {
            $0.changes = .genuine.description { $0.hardware.append(DescriptionTag(999), DERWriter.integer(1)) }
        },
        SampleCase("tags out of order", "accepted", note: "tags_not_ascending") {
            $0.changes = .genuine.description { $0.hardware.entries.swapAt(0, 1) }
        },
        SampleCase("tags out of order, where the app wants them in order", "tags_not_ascending") {
            $0.changes = .genuine.description { $0.hardware.entries.swapAt(0, 1) }
            $0.policy.requiresTagOrder = true
        },
        SampleCase("versions that differ", "accepted", note: "versions_differ") {
            $0.changes = .genuine.description { $0.keyMintVersion = 300 }
        },
        SampleCase("versions that differ, where the app wants equal ones", "versions_differ") {
            $0.changes = .genuine.description { $0.keyMintVersion = 300 }
            $0.policy.requiresEqualVersions = true
        },
        SampleCase("a version below 100 beside KeyMint's", "accepted", note: "versions_differ") {
            $0.changes = .genuine.description { $0.attestationVersion = 4 }
        },
        SampleCase("versions of Keymaster, which differ, where the app wants equal ones", "accepted") {
            $0.edit = { $0.attestationVersion = 3 }
            $0.policy.requiresEqualVersions = true
        },
        SampleCase("a set that is not sorted", "accepted", note: "set_not_sorted") {
            $0.changes = .genuine.description { $0.hardware.set(.digest, integers: [4, 0]) }
        },
        SampleCase("a bootloader that is locked by 0x01", "accepted", note: "boolean_not_der") {
            $0.edit = { $0.rootOfTrust.lockedOctet = 1 }
        },
    ]

    private static let challenges: [SampleCase] = [
        SampleCase("another challenge", "challenge_mismatch") { $0.challenge[92] ^= 1 },
        SampleCase("no challenge", "challenge_mismatch") { $0.challenge = [] },
        SampleCase("no challenge, where none is expected", "challenge_mismatch") { ($0.challenge, $0.expected) = ([], []) },
        SampleCase("the beginning of the challenge", "challenge_mismatch") { $0.challenge.removeLast() },
        SampleCase("the challenge and a byte more", "challenge_mismatch") { $0.challenge.append(0) },
        SampleCase("129 bytes", "challenge_mismatch") { $0.challenge = [UInt8](repeating: 1, count: 129) },
        SampleCase("another key id beside it", "key_id_mismatch") { $0.keyID = [UInt8](repeating: 1, count: 32) },
    ]

    private static let levels: [SampleCase] = [
        SampleCase("StrongBox", "accepted") { $0.level = .strongBox },
        SampleCase("StrongBox from the factory", "accepted") { ($0.level, $0.provisioning) = (.strongBox, .factory) },
        SampleCase("a key of software attested by the TEE", "software_level") {
            $0.changes = .genuine.description { $0.keyMintLevel = 0 }
        },
        SampleCase("a key of the TEE attested by software", "software_level") {
            $0.changes = .genuine.description { $0.attestationLevel = 0 }
        },
        SampleCase("a key of software below a hardware root", "software_level") { $0.level = .software },
        SampleCase("a key of software below the root of software", "software_level") {
            ($0.level, $0.provisioning) = (.software, .software)
        },
        SampleCase("a software key below the untrusted software root", "untrusted_root") {
            ($0.level, $0.provisioning, $0.anchors) = (.software, .software, [.rsa, .p384])
        },
        SampleCase("a key of software, which the app allows", "accepted") {
            ($0.level, $0.provisioning) = (.software, .software)
            $0.policy.minimumLevel = .software
        },
        SampleCase("a key of StrongBox attested by the TEE", "security_level_mismatch") {
            $0.changes = .genuine.description { $0.keyMintLevel = 2 }
        },
        SampleCase("a key of the TEE attested by StrongBox", "security_level_mismatch") {
            $0.changes = .genuine.description { $0.attestationLevel = 2 }
        },
        SampleCase("StrongBox claimed below a chain of the TEE", "security_level_mismatch") {
            $0.changes = .genuine.description { ($0.attestationLevel, $0.keyMintLevel) = (2, 2) }
        },
        SampleCase("StrongBox claimed below a factory chain of the TEE", "security_level_mismatch") {
            $0.provisioning = .factory
            $0.changes = .genuine.description { ($0.attestationLevel, $0.keyMintLevel) = (2, 2) }
        },
        SampleCase("the TEE where the app demands StrongBox", "security_level_too_low") { $0.policy.minimumLevel = .strongBox },
    ]

    private static let boots: [SampleCase] = [
        SampleCase("no root of trust", "root_of_trust_missing") {
            $0.changes = .genuine.description { $0.hardware[.rootOfTrust] = nil }
        },
        SampleCase("a root of trust that only software tells", "root_of_trust_missing") {
            $0.changes = .genuine.description {
                $0.hardware[.rootOfTrust] = nil
                $0.software[.rootOfTrust] = RootOfTrustDraft().der
            }
        },
        SampleCase("a root of trust that both tell, of which the hardware's counts", "bootloader_unlocked") {
            $0.changes = .genuine.description {
                $0.hardware[.rootOfTrust] = RootOfTrustDraft.unlocked.der
                $0.software[.rootOfTrust] = RootOfTrustDraft().der
            }
        },
        SampleCase("a root of trust that both tell", "accepted", note: "told_twice") {
            $0.changes = .genuine.description { $0.software[.rootOfTrust] = RootOfTrustDraft.unlocked.der }
        },
        SampleCase("an unlocked bootloader", "bootloader_unlocked") { $0.edit = { $0.rootOfTrust = .unlocked } },
        SampleCase("an unlocked bootloader that says the system was verified", "bootloader_unlocked") {
            $0.edit = { $0.rootOfTrust.isLocked = false }
        },
        SampleCase("an unlocked bootloader, which the app allows", "accepted", note: "unlocked") {
            $0.edit = { $0.rootOfTrust = .unlocked }
            $0.policy.boot?.requiresLocked = false
            $0.policy.boot?.states = [.verified, .unverified]
        },
        SampleCase("a system that was not verified", "boot_state") { $0.edit = { $0.rootOfTrust.verifiedBootState = 2 } },
        SampleCase("a system whose verification failed", "boot_state") { $0.edit = { $0.rootOfTrust.verifiedBootState = 3 } },
        SampleCase("a state that does not exist", "malformed_extension") { $0.edit = { $0.rootOfTrust.verifiedBootState = 4 } },
        SampleCase("a system of another maker", "boot_state") {
            $0.edit = { $0.rootOfTrust = .selfSigned(key: [UInt8](repeating: 7, count: 32)) }
        },
        SampleCase("a system of a maker who is not on the list", "boot_key") {
            $0.edit = { $0.rootOfTrust = .selfSigned(key: [UInt8](repeating: 7, count: 32)) }
            $0.policy.boot?.states = [.verified, .selfSigned]
            $0.policy.boot?.selfSignedKeys = [[UInt8](repeating: 8, count: 32)]
        },
        SampleCase("a system of a maker who is on the list", "accepted") {
            $0.edit = { $0.rootOfTrust = .selfSigned(key: [UInt8](repeating: 7, count: 32)) }
            $0.policy.boot?.states = [.verified, .selfSigned]
            $0.policy.boot?.selfSignedKeys = [[UInt8](repeating: 7, count: 32)]
        },
        SampleCase("a system verified by a key that the app denies", "boot_key") {
            $0.policy.boot?.deniedKeys = [RootOfTrustDraft().verifiedBootKey]
        },
        SampleCase("a system that AOSP's test key verified", "boot_key_denied") {
            $0.edit = { $0.rootOfTrust.verifiedBootKey = PublicTestKey.rsa4096.digest }
        },
        SampleCase("a system that another test key of AOSP verified, for its user", "boot_key_denied") {
            $0.edit = { $0.rootOfTrust = .selfSigned(key: PublicTestKey.rsa2048.digest) }
            $0.policy.boot?.states = [.verified, .selfSigned]
            $0.policy.boot?.selfSignedKeys = [PublicTestKey.rsa2048.digest]
            $0.policy.boot?.allowedTestKeys = [.rsa4096, .rsa8192]
        },
        SampleCase("a system that AOSP's test key verified, where the app allows it", "accepted") {
            $0.edit = { $0.rootOfTrust.verifiedBootKey = PublicTestKey.rsa4096.digest }
            $0.policy.boot?.allowedTestKeys = [.rsa4096]
        },
    ]

    private static let keys: [SampleCase] = [
        SampleCase("an imported key", "key_origin") {
            $0.changes = .genuine.description { $0.hardware.set(.origin, integer: 2) }
        },
        SampleCase("no origin", "key_origin") { $0.changes = .genuine.description { $0.hardware[.origin] = nil } },
        SampleCase("an origin that only software tells", "key_origin") {
            $0.changes = .genuine.description {
                $0.hardware[.origin] = nil
                $0.software.set(.origin, integer: 0)
            }
        },
        SampleCase("a key that may attest others", "key_purpose") {
            $0.changes = .genuine.description { $0.hardware.set(.purpose, integers: [2, 7]) }
        },
        SampleCase("a key that may not sign", "key_purpose") {
            $0.changes = .genuine.description { $0.hardware.set(.purpose, integers: [0, 1]) }
        },
        SampleCase("purposes that only software tells", "key_purpose") {
            $0.changes = .genuine.description {
                $0.software[.purpose] = $0.hardware[.purpose]
                $0.hardware[.purpose] = nil
            }
        },
        SampleCase("a key for all applications, by the hardware", "key_not_app_bound") {
            $0.changes = .genuine.description { $0.hardware.set(.allApplications) }
        },
        SampleCase("a key for all applications, by software", "key_not_app_bound") {
            $0.changes = .genuine.description { $0.software.set(.allApplications) }
        },
        SampleCase("an RSA key described as one of a curve", "key_type") {
            $0.kind = .rsa2048
            $0.changes = .genuine.description { $0.hardware.set(.algorithm, integer: 3) }
        },
        SampleCase("a key of P-256 described as one of P-384", "key_type") {
            $0.changes = .genuine.description { $0.hardware.set(.ecCurve, integer: 2) }
        },
    ]

    private static let apps: [SampleCase] = [
        SampleCase("no app", "app_id_missing") {
            $0.changes = .genuine.description { $0.software[.attestationApplicationID] = nil }
        },
        SampleCase("an app that only the hardware tells", "app_id_missing") {
            $0.changes = .genuine.description {
                $0.hardware[.attestationApplicationID] = $0.software[.attestationApplicationID]
                $0.software[.attestationApplicationID] = nil
            }
        },
        SampleCase("an app that the key store could not learn", "app_id_unavailable") {
            $0.edit = { $0.application = .unknown }
        },
        SampleCase("another package", "package_mismatch") {
            $0.edit = { $0.application.packages = [.init("com.example.other")] }
        },
        SampleCase("the right package and a foreign one", "package_mismatch") {
            $0.edit = { $0.application.packages.append(.init("com.example.other", version: 9)) }
        },
        SampleCase("another signer", "signer_mismatch") {
            $0.edit = { $0.application.signers = [[UInt8](repeating: 1, count: 32)] }
        },
        SampleCase("no signer", "signer_mismatch") { $0.edit = { $0.application.signers = [] } },
        SampleCase("the right signer and a foreign one", "signer_mismatch") {
            $0.edit = { $0.application.signers.append([UInt8](repeating: 1, count: 32)) }
        },
        SampleCase("a signer of 20 bytes", "malformed_extension") {
            $0.edit = { $0.application.signers = [[UInt8](repeating: 1, count: 20)] }
        },
        SampleCase("an older version of the app", "app_version") { $0.edit = { $0.application.packages[0].version = 4 } },
        SampleCase("an app that is cut off", "malformed_extension") {
            $0.changes = .genuine.description { description in
                let whole = AttestedApplicationDraft(SampleAttestation.package, signer: SampleAttestation.signer).der
                description.software.set(.attestationApplicationID, bytes: Array(whole.dropLast()))
            }
        },
        SampleCase("an app in plain text", "malformed_extension") {
            $0.changes = .genuine.description {
                $0.software.set(.attestationApplicationID, bytes: Array("com.example.camera".utf8))
            }
        },
    ]
}
