import AssayCore
import AssayEncoding

/// The description of a key before encoding. Everything can be changed, in either list.
public struct KeyDescriptionDraft: Hashable, Sendable {
    public var attestationVersion: UInt64
    /// 0 Software, 1 TrustedEnvironment, 2 StrongBox; other numbers are undefined.
    public var attestationLevel: UInt64
    public var keyMintVersion: UInt64
    public var keyMintLevel: UInt64
    public var challenge: [UInt8]
    public var uniqueID: [UInt8] = []
    /// The software-enforced list.
    public var software = AuthorizationListDraft()
    /// The hardware-enforced list.
    public var hardware = AuthorizationListDraft()

    /// The eight elements, each encoded.
    var elements: [[UInt8]] {
        [
            DERWriter.integer(attestationVersion), DERWriter.enumerated(attestationLevel), DERWriter.integer(keyMintVersion),
            DERWriter.enumerated(keyMintLevel), DERWriter.octetString(challenge), DERWriter.octetString(uniqueID), software.der,
            hardware.der,
        ]
    }
}

extension KeyDescriptionDraft {
    /// A device's description of one of its keys, made for signing.
    init(_ device: VirtualAndroid, _ kind: TestKey.Kind, challenge: [UInt8], at time: Timestamp) {
        let version = device.attestationVersion
        attestationVersion = version
        attestationLevel = device.level.rawValue
        keyMintVersion = device.keyMintVersion
        keyMintLevel = device.level.rawValue
        self.challenge = challenge

        software.set(.creationDateTime, integer: UInt64(clamping: time.unixMilliseconds))
        if version >= 2 { software.set(.attestationApplicationID, bytes: device.application.der) }
        if version >= 400 { software.set(.moduleHash, bytes: device.moduleHash) }

        // A software attestation has no hardware to state anything.
        var list = device.level == .software ? software : hardware
        list.describe(kind, version: version)
        list.set(.noAuthRequired)
        list.set(.origin, integer: 0)
        var rootOfTrust = device.rootOfTrust
        if version < 3 { rootOfTrust.verifiedBootHash = nil }
        list[.rootOfTrust] = rootOfTrust.der
        list.set(.osVersion, integer: device.osVersion)
        list.set(.osPatchLevel, integer: device.osPatchLevel)
        if version >= 2 { for (tag, text) in device.identifiers { list.set(tag, bytes: Array(text.utf8)) } }
        if version >= 3 {
            if let level = device.vendorPatchLevel { list.set(.vendorPatchLevel, integer: level) }
            if let level = device.bootPatchLevel { list.set(.bootPatchLevel, integer: level) }
        }
        if device.level == .software { software = list } else { hardware = list }
    }
}

extension AuthorizationListDraft {
    /// The kind of key, with the purposes to sign and verify.
    fileprivate mutating func describe(_ kind: TestKey.Kind, version: UInt64) {
        set(.purpose, integers: [2, 3])
        switch kind {
        case .p256, .p384:
            set(.algorithm, integer: 3)
            set(.keySize, integer: kind == .p256 ? 256 : 384)
            set(.digest, integers: kind == .p256 ? [4] : [4, 5])
            set(.ecCurve, integer: kind == .p256 ? 1 : 2)
        case .ed25519:
            set(.algorithm, integer: 3)
            set(.keySize, integer: 256)
            set(.digest, integers: [0])
            set(.ecCurve, integer: 4)
        case .rsa1024, .rsa2048, .rsa3072, .rsa4096:
            set(.algorithm, integer: 1)
            set(.keySize, integer: UInt64(kind.rsaBits))
            set(.digest, integers: [4])
            set(.padding, integers: [3, 5])
            set(.rsaPublicExponent, integer: 65537)
            if version >= 100 { set(.mgfDigest, integers: [4]) }
        case .mlDSA65, .mlDSA87:
            set(.algorithm, integer: 4)
            set(.digest, integers: [0])
            set(.mlDSAVariant, integer: kind == .mlDSA65 ? 1 : 2)
        }
    }
}
