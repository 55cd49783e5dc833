package import AssayCore
package import AssayEncoding

/// The statement about an attested key, in extension 1.3.6.1.4.1.11129.2.1.17 of its certificate: a SEQUENCE of exactly
/// eight elements, the same in all versions from 1 (Keymaster 2) to 500 (KeyMint 5), and taken to be so in later ones.
package struct KeyDescription: Hashable, Sendable {
    package static let oid = OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17)

    package let attestationVersion: Int
    /// Where the attestation was made.
    package let attestationLevel: SecurityLevel
    package let keyMintVersion: Int
    /// Where the key lives.
    package let keyMintLevel: SecurityLevel
    package let challenge: [UInt8]
    /// Empty, or a pseudonym of the device that only system apps may ask for.
    package let uniqueID: [UInt8]
    /// What Android's userspace says.
    package let softwareEnforced: AuthorizationList
    /// What the TEE or StrongBox says.
    package let hardwareEnforced: AuthorizationList
    package let quirks: Set<EncodingQuirk>

    /// Bytes that are exactly one key description, or `malformed_extension`.
    package init(parsing bytes: ArraySlice<UInt8>) throws(Rejection) {
        var notes = DescriptionReader()
        var outer = DERReader(bytes, code: .malformedExtension)
        var fields = DERReader(try outer.element(.sequence).content, code: .malformedExtension)
        try outer.finish("the key description")
        attestationVersion = try fields.smallInteger()
        attestationLevel = try Self.level(&fields)
        keyMintVersion = try fields.smallInteger()
        keyMintLevel = try Self.level(&fields)
        challenge = Array(try fields.octetString())
        uniqueID = Array(try fields.octetString())
        softwareEnforced = try AuthorizationList(&fields, &notes)
        hardwareEnforced = try AuthorizationList(&fields, &notes)
        try fields.finish("the eight fields of the key description")
        quirks = notes.quirks
    }

    private static func level(_ fields: inout DERReader) throws(Rejection) -> SecurityLevel {
        guard let level = SecurityLevel(rawValue: try DescriptionReader.enumerated(&fields)) else {
            throw fields.rejection("an unknown security level")
        }
        return level
    }
}
