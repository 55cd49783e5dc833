import AssayEncoding

/// An authorization list before encoding: tagged values in writing order, duplicates allowed.
public struct AuthorizationListDraft: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public var tag: DescriptionTag
        /// The DER inside the explicit tag.
        public var value: [UInt8]
        public init(_ tag: DescriptionTag, _ value: [UInt8]) { (self.tag, self.value) = (tag, value) }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The DER of the first entry with a tag. Setting replaces it in place, or inserts it before the first greater tag; `nil`
    /// removes every entry of the tag.
    public subscript(tag: DescriptionTag) -> [UInt8]? {
        get { entries.first { $0.tag == tag }?.value }
        set {
            guard let newValue else { return entries.removeAll { $0.tag == tag } }
            if let index = entries.firstIndex(where: { $0.tag == tag }) {
                entries[index].value = newValue
            } else {
                let index = entries.firstIndex { $0.tag.rawValue > tag.rawValue } ?? entries.endIndex
                entries.insert(Entry(tag, newValue), at: index)
            }
        }
    }

    /// Adds an entry at the end, whatever the order and duplicates.
    public mutating func append(_ tag: DescriptionTag, _ value: [UInt8]) { entries.append(Entry(tag, value)) }

    public mutating func set(_ tag: DescriptionTag, integer: UInt64) { self[tag] = DERWriter.integer(integer) }

    /// A SET OF INTEGER in the given order; DER requires ascending order.
    public mutating func set(_ tag: DescriptionTag, integers: [UInt64]) {
        self[tag] = DERWriter.set(integers.map(DERWriter.integer))
    }

    public mutating func set(_ tag: DescriptionTag, bytes: [UInt8]) { self[tag] = DERWriter.octetString(bytes) }

    /// A flag: NULL, whose presence means true.
    public mutating func set(_ tag: DescriptionTag) { self[tag] = DERWriter.null }

    public var der: [UInt8] { DERWriter.sequence(entries.map { DERWriter.context($0.tag.rawValue, [$0.value]) }) }
}

/// The app that made a key, as Android's key store names it, before encoding.
public struct AttestedApplicationDraft: Hashable, Sendable {
    public struct Package: Hashable, Sendable {
        /// UTF-8 on genuine devices.
        public var name: [UInt8]
        public var version: UInt64

        public init(_ name: String, version: UInt64 = 1) { (self.name, self.version) = (Array(name.utf8), version) }
    }

    /// More than one if several apps share a user id.
    public var packages: [Package]
    /// SHA-256 of the certificates that sign the packages: 32 bytes each on genuine devices.
    public var signers: [[UInt8]]

    public init(packages: [Package], signers: [[UInt8]]) { (self.packages, self.signers) = (packages, signers) }

    public init(_ package: String, version: UInt64 = 1, signer: [UInt8]) {
        self.init(packages: [Package(package, version: version)], signers: [signer])
    }

    /// Written by the key store if it could not determine which app made the key, until the next restart.
    public static let unknown = Self(packages: [Package("UnknownPackage", version: 0)], signers: [])

    /// The DER in the tag's OCTET STRING.
    public var der: [UInt8] {
        DERWriter.sequence([
            DERWriter.set(
                packages.map { DERWriter.sequence([DERWriter.octetString($0.name), DERWriter.integer($0.version)]) }),
            DERWriter.set(signers.map(DERWriter.octetString)),
        ])
    }
}

/// The state of the boot before encoding. The default is locked, and verified by a made-up key.
public struct RootOfTrustDraft: Hashable, Sendable {
    /// The digest of the key that verified the boot image: 32 bytes on genuine devices, zeros on unlocked ones.
    public var verifiedBootKey = [UInt8](repeating: 0x5A, count: 32)
    /// The content octet of the BOOLEAN: 0x00, 0xFF, or a value that a device wrongly writes.
    public var lockedOctet: UInt8 = 0xFF
    /// 0 Verified, 1 SelfSigned, 2 Unverified, 3 Failed; other numbers are undefined.
    public var verifiedBootState: UInt64 = 0
    /// `nil` for versions without it: before 3.
    public var verifiedBootHash: [UInt8]? = [UInt8](repeating: 0xA5, count: 32)

    public init() {}

    /// The state of a device with an unlocked bootloader.
    public static var unlocked: Self {
        var root = Self()
        root.isLocked = false
        root.verifiedBootState = 2
        root.verifiedBootKey = [UInt8](repeating: 0, count: 32)
        return root
    }

    /// The state of a locked device whose user installed another manufacturer's system, verified by that manufacturer's key.
    public static func selfSigned(key: [UInt8]) -> Self {
        var root = Self()
        root.verifiedBootState = 1
        root.verifiedBootKey = key
        return root
    }

    public var isLocked: Bool {
        get { lockedOctet != 0 }
        set { lockedOctet = newValue ? 0xFF : 0 }
    }

    public var der: [UInt8] {
        DERWriter.sequence(
            [
                DERWriter.octetString(verifiedBootKey), DERWriter.boolean(octet: lockedOctet),
                DERWriter.enumerated(verifiedBootState),
            ] + (verifiedBootHash.map { [DERWriter.octetString($0)] } ?? []))
    }
}

/// A tag of an authorization list, by its number. Any number is allowed: some devices write unknown tags.
public struct DescriptionTag: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    public static let purpose = Self(1)
    public static let algorithm = Self(2)
    public static let keySize = Self(3)
    public static let digest = Self(5)
    public static let padding = Self(6)
    public static let ecCurve = Self(10)
    public static let mlDSAVariant = Self(11)
    public static let rsaPublicExponent = Self(200)
    public static let mgfDigest = Self(203)
    public static let rollbackResistance = Self(303)
    public static let earlyBootOnly = Self(305)
    public static let activeDateTime = Self(400)
    public static let originationExpireDateTime = Self(401)
    public static let usageExpireDateTime = Self(402)
    public static let usageCountLimit = Self(405)
    public static let noAuthRequired = Self(503)
    public static let userAuthType = Self(504)
    public static let authTimeout = Self(505)
    public static let allowWhileOnBody = Self(506)
    public static let trustedUserPresenceRequired = Self(507)
    public static let trustedConfirmationRequired = Self(508)
    public static let unlockedDeviceRequired = Self(509)
    public static let allApplications = Self(600)
    public static let creationDateTime = Self(701)
    public static let origin = Self(702)
    public static let rollbackResistant = Self(703)
    public static let rootOfTrust = Self(704)
    public static let osVersion = Self(705)
    public static let osPatchLevel = Self(706)
    public static let attestationApplicationID = Self(709)
    public static let brand = Self(710)
    public static let device = Self(711)
    public static let product = Self(712)
    public static let serial = Self(713)
    public static let imei = Self(714)
    public static let meid = Self(715)
    public static let manufacturer = Self(716)
    public static let model = Self(717)
    public static let vendorPatchLevel = Self(718)
    public static let bootPatchLevel = Self(719)
    public static let deviceUniqueAttestation = Self(720)
    public static let secondIMEI = Self(723)
    public static let moduleHash = Self(724)
}
