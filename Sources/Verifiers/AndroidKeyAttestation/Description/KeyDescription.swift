package import AssayCore
package import AssayEncoding

/// The description of an attested key, in extension 1.3.6.1.4.1.11129.2.1.17 of its certificate: a SEQUENCE of exactly eight
/// elements, identical in all versions from 1 (Keymaster 2) to 500 (KeyMint 5). Later versions are read in the same way.
package struct KeyDescription: Hashable, Sendable {
    package static let oid = OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17)

    package let attestationVersion: Int
    /// The level at which the attestation was made.
    package let attestationLevel: SecurityLevel
    package let keyMintVersion: Int
    /// The level at which the key is stored.
    package let keyMintLevel: SecurityLevel
    package let challenge: [UInt8]
    /// Empty, or a pseudonym of the device that only system apps may request.
    package let uniqueID: [UInt8]
    /// Authorizations stated by Android's userspace.
    package let softwareEnforced: AuthorizationList
    /// Authorizations stated by the TEE or StrongBox.
    package let hardwareEnforced: AuthorizationList
    package let quirks: Set<EncodingQuirk>
    /// The first statement that cannot be read; only a description for people may have one.
    let malformed: Rejection?

    /// Reads exactly one key description and throws `malformed_extension` otherwise.
    package init(parsing bytes: ArraySlice<UInt8>) throws(Rejection) {
        try self.init(explaining: bytes)
        if let malformed { throw malformed }
    }

    /// Reads a key description for people: one malformed statement does not hide the others. The reader is the verifier's, so that it
    /// finds the same fault in the same place.
    init(explaining bytes: ArraySlice<UInt8>) throws(Rejection) {
        do throws(Rejection) { try self.init(whole: bytes) } catch { throw error.locating(in: bytes, "the extension") }
    }

    private init(whole bytes: ArraySlice<UInt8>) throws(Rejection) {
        var notes = DescriptionReader()
        var outer = DERReader(bytes, code: .malformedExtension)
        var fields = DERReader(try outer.content(.sequence), code: .malformedExtension)
        try outer.finish("the key description")
        attestationVersion = try fields.field("attestationVersion") { field throws(Rejection) in try field.smallInteger() }
        attestationLevel = try fields.field("attestationSecurityLevel") { field throws(Rejection) in try Self.level(&field) }
        keyMintVersion = try fields.field("keyMintVersion") { field throws(Rejection) in try field.smallInteger() }
        keyMintLevel = try fields.field("keyMintSecurityLevel") { field throws(Rejection) in try Self.level(&field) }
        challenge = try fields.field("attestationChallenge") { field throws(Rejection) in Array(try field.octetString()) }
        uniqueID = try fields.field("uniqueId") { field throws(Rejection) in Array(try field.octetString()) }
        softwareEnforced = try fields.field("software-enforced") { field throws(Rejection) in
            try AuthorizationList(&field, &notes)
        }
        hardwareEnforced = try fields.field("hardware-enforced") { field throws(Rejection) in
            try AuthorizationList(&field, &notes)
        }
        try fields.finish("the eight fields of the key description")
        quirks = notes.quirks
        malformed =
            softwareEnforced.malformed?.at("software-enforced").locating(in: bytes, "the extension")
            ?? hardwareEnforced.malformed?.at("hardware-enforced").locating(in: bytes, "the extension")
    }

    private static func level(_ fields: inout DERReader) throws(Rejection) -> SecurityLevel {
        let number = try DescriptionReader.enumerated(&fields)
        guard let level = SecurityLevel(rawValue: number) else {
            throw fields.rejection("the security level \(number), want 0 to 2")
        }
        return level
    }
}

/// Where a key is stored, or where its attestation was made (`SecurityLevel` of the KeyDescription schema).
package enum SecurityLevel: Int, CaseIterable, Comparable, Hashable, Sendable {
    case software = 0
    case trustedEnvironment = 1
    /// Since version 3.
    case strongBox = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The name in claims.
    package var name: String {
        switch self {
        case .software: "SOFTWARE"
        case .trustedEnvironment: "TRUSTED_ENVIRONMENT"
        case .strongBox: "STRONG_BOX"
        }
    }

    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package var assurance: Assurance {
        switch self {
        case .software: .software
        case .trustedEnvironment: .hardware
        case .strongBox: .secureElement
        }
    }
}
