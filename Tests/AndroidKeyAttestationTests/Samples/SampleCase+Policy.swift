import AssayCore
import AssaySimulator

@testable import AndroidKeyAttestation

/// An app's possible requirements beyond the platform's own checks.
extension SampleCase {
    static let policies: [SampleCase] = kinds + patchLevels + properties + provisionings

    private static let kinds: [SampleCase] = [
        SampleCase("a key of P-384", "accepted") { $0.kind = .p384 },
        SampleCase("a key of RSA", "accepted") { $0.kind = .rsa2048 },
        SampleCase("a key of Ed25519", "accepted") { $0.kind = .ed25519 },
        SampleCase("a key of ML-DSA-65", "accepted") { $0.kind = .mlDSA65 },
        SampleCase("a key of ML-DSA-87", "accepted") { $0.kind = .mlDSA87 },
        SampleCase("a key of ML-DSA where the app wants P-256", "key_type") {
            $0.kind = .mlDSA65
            $0.policy.key.kinds = [.p256]
        },
    ]

    private static func oldest(_ level: UInt64) -> PatchLevelRules.Oldest? { PatchLevel(level).map { .level($0) } }

    private static let patchLevels: [SampleCase] = [
        SampleCase("a patch level of the month that is demanded", "accepted") { $0.policy.patchLevels.os = oldest(202_510) },
        SampleCase("a patch level of a month before", "patch_level_too_old") { $0.policy.patchLevels.os = oldest(202_511) },
        SampleCase("a patch level of thirteen months ago where twelve are allowed", "patch_level_too_old") {
            $0.policy.patchLevels.os = .months(12)
        },
        SampleCase("a patch level of thirteen months ago where as many are allowed", "accepted") {
            $0.policy.patchLevels.os = .months(13)
        },
        SampleCase("a patch level of month 13", "patch_level_too_old") {
            $0.edit = { $0.osPatchLevel = 202_413 }
            $0.policy.patchLevels.os = oldest(202_001)
        },
        SampleCase("a patch level of month 13 without a rule", "accepted") { $0.edit = { $0.osPatchLevel = 202_413 } },
        SampleCase("a patch level of 0", "patch_level_too_old") {
            $0.edit = { $0.osPatchLevel = 0 }
            $0.policy.patchLevels.os = oldest(202_001)
        },
        SampleCase("a vendor's patch level of day 00", "accepted") {
            $0.edit = { $0.vendorPatchLevel = 20_240_500 }
            $0.policy.patchLevels.vendor = oldest(202_405)
        },
        SampleCase("an unreadable vendor patch level", "accepted", note: "not_readable") {
            $0.edit = { $0.vendorPatchLevel = 17 }
            $0.policy.patchLevels.vendor = oldest(202_405)
        },
        SampleCase("an unreadable vendor patch level, which the app refuses", "patch_level_too_old") {
            $0.edit = { $0.vendorPatchLevel = 17 }
            $0.policy.patchLevels.vendor = oldest(202_405)
            $0.policy.patchLevels.refusesUnreadable = true
        },
        SampleCase("a boot image that is too old", "patch_level_too_old") { $0.policy.patchLevels.boot = oldest(202_512) },
        SampleCase("a patch level two months ahead", "patch_level_in_future") {
            $0.edit = { $0.osPatchLevel = 202_701 }
            $0.policy.patchLevels.monthsAhead = 1
        },
        SampleCase("a patch level one month ahead", "accepted") {
            $0.edit = { $0.osPatchLevel = 202_612 }
            $0.policy.patchLevels.monthsAhead = 1
        },
        SampleCase("a version of Android that is too low", "os_version") { $0.policy.minimumOSVersion = 170_000 },
        SampleCase("a version of Android that is not told", "os_version") {
            $0.edit = { $0.osVersion = 0 }
            $0.policy.minimumOSVersion = 1
        },
    ]

    private static let properties: [SampleCase] = [
        SampleCase("a key that works without its user", "key_properties") {
            $0.policy.key.authentication = AuthenticationRule()
        },
        SampleCase("a key that works with its user", "accepted") {
            $0.changes = .genuine.description {
                $0.hardware[.noAuthRequired] = nil
                $0.hardware.set(.userAuthType, integer: 2)
            }
            $0.policy.key.authentication = AuthenticationRule(methods: [.biometric])
        },
        SampleCase("a key that can be restored from a copy", "key_properties") {
            $0.policy.key.properties = [.rollbackResistance]
        },
        SampleCase("a key that cannot be restored from a copy", "accepted") {
            $0.changes = .genuine.description { $0.hardware.set(.rollbackResistance) }
            $0.policy.key.properties = [.rollbackResistance]
        },
        SampleCase("a device with another serial number", "device_id_mismatch") {
            $0.edit = { $0.identifiers = [.serial: "two"] }
            $0.policy.attestedIDs = [.serial: ["one"]]
        },
        SampleCase("a device that tells no serial number", "device_id_mismatch") { $0.policy.attestedIDs = [.serial: ["one"]] },
        SampleCase("a device with the right model", "accepted") {
            $0.edit = { $0.identifiers = [.model: "Virtual 9"] }
            $0.policy.attestedIDs = [.model: ["Virtual 8", "Virtual 9"]]
        },
        SampleCase("a key that was made an hour ago", "created_out_of_window") {
            $0.now = SampleAttestation.time.adding(milliseconds: 3_600_000)
            $0.policy.creationWindow = 300_000
        },
        SampleCase("a key that was made a minute ago", "accepted") {
            $0.now = SampleAttestation.time.adding(milliseconds: 60_000)
            $0.policy.creationWindow = 300_000
        },
    ]

    private static let provisionings: [SampleCase] = [
        SampleCase("a factory chain where the app demands remote provisioning", "remote_provisioning_required") {
            $0.provisioning = .factory
            $0.policy.provisioning.requiresRemote = true
        },
        SampleCase("a device that got many certificates", "provisioning_count") {
            $0.edit = { $0.certificatesIssued = 500 }
            $0.policy.provisioning.certificateLimit = 100
        },
        SampleCase("a device that got few certificates", "accepted") { $0.policy.provisioning.certificateLimit = 100 },
        SampleCase("a device that does not tell how many certificates it got", "provisioning_count") {
            $0.changes = .genuine.certificate(1) { $0[ExtensionName.provisioningInfo] = nil }
            $0.policy.provisioning.certificateLimit = 100
        },
        SampleCase("an attestation key of many devices, which the app refuses", "attestation_key_overused") {
            $0.keyUse = AttestationKeyUse(lastDay: 20)
            $0.policy.provisioning.refusesOveruse = true
        },
        SampleCase("an attestation key of many devices", "accepted", note: "attestation_key_overused") {
            $0.keyUse = AttestationKeyUse(lastDay: 20)
        },
        SampleCase("a batch key of many devices, as batch keys have", "accepted") {
            $0.provisioning = .factory
            $0.keyUse = AttestationKeyUse(lastDay: 20)
            $0.policy.provisioning.refusesOveruse = true
        },
    ]
}
