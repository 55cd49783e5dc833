package import AssayCore

/// The facts about an attested key after its chain was verified: the input of the policy. A registered device's facts are
/// restored from the claims of its registration, so that each day's policy applies to it.
package struct KeyFacts: Hashable, Sendable {
    package let attestationVersion: Int
    package let attestationLevel: SecurityLevel
    package let keyMintVersion: Int
    package let keyMintLevel: SecurityLevel
    /// The effective level: the lower of the two, and at most software below a root whose private key is public.
    package let level: SecurityLevel
    package let softwareEnforced: AuthorizationList
    package let hardwareEnforced: AuthorizationList
    package let provisioning: ChainClass
    /// `nil` if the chain does not state it.
    package let provisioningCount: UInt64?
    /// The kind of the certified key; `nil` for kinds that no version of the schema has.
    package let kind: KeyKind?

    init(
        _ description: KeyDescription, kind: KeyKind?, softwareRoot: Bool, provisioning: ChainClass, provisioningCount: UInt64?
    ) {
        self.kind = kind
        attestationVersion = description.attestationVersion
        attestationLevel = description.attestationLevel
        keyMintVersion = description.keyMintVersion
        keyMintLevel = description.keyMintLevel
        level = softwareRoot ? .software : min(description.attestationLevel, description.keyMintLevel)
        softwareEnforced = description.softwareEnforced
        hardwareEnforced = description.hardwareEnforced
        self.provisioning = provisioning
        self.provisioningCount = provisioningCount
    }

    /// The list from which the key's own properties and the device's state are read: the hardware's. At level Software nothing
    /// is proved, and both lists come from software.
    package var trusted: AuthorizationList {
        level > .software ? hardwareEnforced : softwareEnforced.completed(by: hardwareEnforced)
    }

    /// The app that made the key. Only Android's userspace knows it, so nothing else can state it. It is reliable if the root
    /// of trust says that a verified system was running.
    package var application: AttestationApplicationID? { softwareEnforced.application }

    /// Whether the two versions differ where they are one number: from KeyMint 1 on. Keymaster counted in another way than its schema.
    var versionsDiffer: Bool { max(attestationVersion, keyMintVersion) >= 100 && attestationVersion != keyMintVersion }

    /// When the key was made, by the device's clock, in milliseconds since 1970.
    var creationTime: Timestamp? {
        softwareEnforced.number(.creationDateTime).map { Timestamp(unixMilliseconds: Int64(clamping: $0)) }
    }
}

// MARK: Claims

extension KeyFacts {
    private enum Name {
        static let attestationVersion = "attestation_version"
        static let attestationLevel = "attestation_security_level"
        static let keyMintVersion = "keymint_version"
        static let keyMintLevel = "keymint_security_level"
        static let level = "security_level"
        static let provisioning = "provisioning"
        static let provisioningCount = "provisioning_count"
        static let kind = "key_kind"
    }

    func add(to claims: inout Claims) {
        claims.add(Name.attestationVersion, .integer(Int64(attestationVersion)))
        claims.add(Name.attestationLevel, .text(attestationLevel.name))
        claims.add(Name.keyMintVersion, .integer(Int64(keyMintVersion)))
        claims.add(Name.keyMintLevel, .text(keyMintLevel.name))
        claims.add(Name.level, .text(level.name))
        claims.add(Name.provisioning, .text(provisioning.rawValue))
        claims.add(Name.provisioningCount, provisioningCount.map { .integer(Int64(clamping: $0)) })
        claims.add(Name.kind, kind.map { .text($0.rawValue) })
        softwareEnforced.add(to: &claims, .software)
        hardwareEnforced.add(to: &claims, .hardware)
    }

    /// Restores the facts of a registration; `nil` if the claims are not those of an Android key.
    package init?(_ claims: Claims) {
        guard let attestationVersion = claims.integer(Name.attestationVersion),
            let attestationLevel = claims.text(Name.attestationLevel).flatMap(SecurityLevel.init(name:)),
            let keyMintVersion = claims.integer(Name.keyMintVersion),
            let keyMintLevel = claims.text(Name.keyMintLevel).flatMap(SecurityLevel.init(name:)),
            let level = claims.text(Name.level).flatMap(SecurityLevel.init(name:)),
            let provisioning = claims.text(Name.provisioning).flatMap(ChainClass.init(bytesOf:)),
            let software = AuthorizationList(claims, .software),
            let hardware = AuthorizationList(claims, .hardware)
        else { return nil }
        kind = claims.text(Name.kind).flatMap(KeyKind.init(bytesOf:))
        provisioningCount = claims.integer(Name.provisioningCount).map { UInt64(clamping: $0) }
        // Present claims must have the types that `add` gives them.
        guard (claims[Name.kind] == nil) == (kind == nil),
            (claims[Name.provisioningCount] == nil) == (provisioningCount == nil)
        else { return nil }
        self.attestationVersion = Int(attestationVersion)
        self.attestationLevel = attestationLevel
        self.keyMintVersion = Int(keyMintVersion)
        self.keyMintLevel = keyMintLevel
        self.level = level
        self.provisioning = provisioning
        softwareEnforced = software
        hardwareEnforced = hardware
    }
}
