import AssayCore

/// An Android device that exists only in tests: it makes keys, attests them as Android Key Attestation does, under the roots of
/// an `AndroidAuthority`, and signs with them.
///
/// A device attests a challenge, and later signs messages; for Assay both are the client data itself:
///
///     let data = ClientData(purpose: .register, challenge: challenge)
///     let chain = try key.attest(challenge: data.bytes, at: now)
///
/// To make a deviating device, set its properties; to make a single deviating attestation, use `KeyAttestationChanges`.
public struct VirtualAndroid: Sendable {
    /// The storage of keys. The numbers are those of key descriptions.
    public enum Level: UInt64, CaseIterable, Hashable, Sendable {
        case software = 0
        case trustedEnvironment = 1
        case strongBox = 2
    }

    /// How the attestation key came into the device.
    public enum Provisioning: String, CaseIterable, Hashable, Sendable {
        /// In the factory: a batch key, shared by many devices.
        case factory
        /// From Google's service: a key of this device and app, for some days.
        case remote
        /// By software, whose key is public.
        case software
    }

    public let authority: AndroidAuthority
    public let level: Level
    public let provisioning: Provisioning
    /// The root of the chain.
    public let root: AndroidAuthority.Root
    /// The key that attests this device's keys.
    public let attestationKey: TestKey

    /// The app that makes the keys. Written since version 2.
    public var application: AttestedApplicationDraft
    /// 1 to 4, or hundreds; see `keyMintVersion`.
    public var attestationVersion: UInt64 = 400
    public var rootOfTrust = RootOfTrustDraft()
    /// MMmmss in decimal.
    public var osVersion: UInt64 = 160_000
    /// YYYYMM.
    public var osPatchLevel: UInt64 = 202_510
    /// YYYYMMDD; written since version 3.
    public var vendorPatchLevel: UInt64? = 20_251_005
    /// YYYYMMDD; written since version 3.
    public var bootPatchLevel: UInt64? = 20_251_005
    /// Identifiers of the device, for apps that may request them: brand to model, serial number, IMEI. Written since version 2.
    public var identifiers: [DescriptionTag: String] = [:]
    /// Written since version 400.
    public var moduleHash = [UInt8](repeating: 0x24, count: 32)
    /// Remote provisioning: the number of certificates that the service issued to the device in about 30 days.
    public var certificatesIssued: UInt64 = 2
    /// Serial number of the certificate of `attestationKey`, big-endian and unsigned.
    public var attestationSerial: [UInt8]

    private let seed: String?
    private var keysMade = 0

    /// With a seed the device makes the same keys each time, except for RSA.
    ///
    /// - Parameters:
    ///   - provisioning: by default software for the level software, remote for the others.
    ///   - root: by default the software root for software, P-384 for the others.
    ///   - attestationKey: a key in place of the one that the authority provisions.
    public init(
        authority: AndroidAuthority, application: AttestedApplicationDraft, level: Level = .trustedEnvironment,
        provisioning: Provisioning? = nil, root: AndroidAuthority.Root? = nil, attestationKey: TestKey? = nil,
        seed: String? = nil
    ) {
        let provisioning = provisioning ?? (level == .software ? .software : .remote)
        let key = attestationKey ?? authority.attestationKey(provisioning, level, seed: seed)
        self.authority = authority
        self.application = application
        self.level = level
        self.provisioning = provisioning
        self.root = root ?? (provisioning == .software ? .software : .p384)
        self.attestationKey = key
        self.seed = seed
        attestationSerial = AndroidAuthority.serial(of: key)
    }

    /// A new key of the app, as `KeyPairGenerator` makes it. An RSA key takes a while.
    public mutating func makeKey(_ kind: TestKey.Kind = .p256) throws(SimulatorError) -> AndroidKey {
        defer { keysMade += 1 }
        guard let seed else { return AndroidKey(device: self, key: try TestKey(kind)) }
        return AndroidKey(device: self, key: try TestKey(kind, seed: seed, label: "android key \(keysMade)"))
    }

    /// The implementation's version for the attestation's version.
    public var keyMintVersion: UInt64 {
        switch attestationVersion {
        case 1: 2
        case 2: 3
        case 3: 4
        case 4: 41
        default: attestationVersion
        }
    }
}
