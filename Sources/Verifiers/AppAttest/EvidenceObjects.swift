import AssayCore
import AssayEncoding

/// The result of `attestKey`: one CBOR map.
///
///     {"fmt": "apple-appattest", "attStmt": {"x5c": [leaf, intermediate], "receipt": bytes}, "authData": bytes}
///
/// Members are in any order. Other text members are ignored: they are not signed.
struct AttestationObject {
    /// In bytes. Objects of 5.2 to 6 KB were seen.
    static let sizeLimit = 32 * 1024

    let format: ArraySlice<UInt8>
    /// DER certificates, leaf first.
    let certificates: [ArraySlice<UInt8>]
    /// BER, unchanged; empty if there is none.
    let receipt: ArraySlice<UInt8>
    /// The bytes over which the nonce is computed.
    let authenticatorData: ArraySlice<UInt8>
    /// iOS 18.5 to 26 write an unsigned `cdHash` for apps with an opt-in entitlement.
    let hasUnsignedCDHash: Bool

    init(parsing bytes: ArraySlice<UInt8>) throws(Rejection) {
        var (format, statement, data): (ArraySlice<UInt8>?, CBORItem?, ArraySlice<UInt8>?)
        var hasUnsignedCDHash = false
        try CBORItem.object(bytes).pairs("the object") { (key, value) throws(Rejection) in
            let name = try key.textBytes("a member's name")
            if name.spells("fmt") {
                format = try value.textBytes("fmt")
            } else if name.spells("attStmt") {
                statement = value
            } else if name.spells("authData") {
                data = try value.bytes("authData")
            } else if name.spells("cdHash") {
                hasUnsignedCDHash = true
            }
        }
        guard let format, let statement, let data else {
            throw Rejection(.malformedCBOR, "fmt, attStmt or authData is missing")
        }

        var certificates: [ArraySlice<UInt8>] = []
        var receipt: ArraySlice<UInt8> = []
        try statement.pairs("attStmt") { (key, value) throws(Rejection) in
            let name = try key.textBytes("a member's name")
            if name.spells("x5c") {
                try value.elements("x5c") { (certificate) throws(Rejection) in
                    certificates.append(try certificate.bytes("a certificate"))
                }
            } else if name.spells("receipt") {
                receipt = try value.bytes("receipt")
            }
        }
        self.format = format
        self.certificates = certificates
        self.receipt = receipt
        authenticatorData = data
        self.hasUnsignedCDHash = hasUnsignedCDHash
    }
}

extension AttestationObject {
    /// What `fmt` is, where it is not App Attest's (W3C WebAuthn §8; Apple, "Managed device attestation").
    var formatSentence: String {
        let text = String(validating: format, as: UTF8.self)
        let shown = text?.shown ?? "not UTF-8"
        guard let text, let meaning = Self.otherFormats.first(where: { $0.name.hasBytes(of: text) })?.meaning else {
            return "fmt is \(shown), want \"apple-appattest\""
        }
        return "fmt is \(shown), of \(meaning), want \"apple-appattest\""
    }

    private static let otherFormats: [(name: String, meaning: String)] = [
        ("apple", "managed device attestation or a passkey of Apple"), ("packed", "a security key or a passkey (WebAuthn)"),
        ("none", "a passkey without attestation (WebAuthn)"), ("fido-u2f", "a U2F security key"),
        ("tpm", "a key in a TPM (WebAuthn)"), ("android-key", "a passkey of Android Keystore (WebAuthn)"),
        ("compound", "several attestations (WebAuthn)"),
    ]
}

/// The result of `generateAssertion`: one CBOR map.
///
///     {"signature": DER, "authenticatorData": bytes}
///
/// Other text members are ignored: they are not signed. The key id is not a member.
struct AssertionObject {
    /// In bytes. Objects of 140 to 260 bytes were seen.
    static let sizeLimit = 4 * 1024

    /// ECDSA-Sig-Value.
    let signature: ArraySlice<UInt8>
    /// The bytes over which the nonce is computed.
    let authenticatorData: ArraySlice<UInt8>
    let hasUnsignedCDHash: Bool

    init(parsing bytes: ArraySlice<UInt8>) throws(Rejection) {
        var (signature, data): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var hasUnsignedCDHash = false
        try CBORItem.object(bytes).pairs("the object") { (key, value) throws(Rejection) in
            let name = try key.textBytes("a member's name")
            if name.spells("signature") {
                signature = try value.bytes("signature")
            } else if name.spells("authenticatorData") {
                data = try value.bytes("authenticatorData")
            } else if name.spells("cdHash") {
                hasUnsignedCDHash = true
            }
        }
        guard let signature, let data else { throw Rejection(.malformedCBOR, "signature or authenticatorData is missing") }
        self.signature = signature
        authenticatorData = data
        self.hasUnsignedCDHash = hasUnsignedCDHash
    }
}

extension CBORItem {
    /// One item of an evidence object. Throws `malformed_cbor`, with what the bytes are instead if that is known.
    fileprivate static func object(_ bytes: ArraySlice<UInt8>) throws(Rejection) -> CBORItem {
        let item: CBORItem
        do throws(Rejection) {
            item = try CBORReader.parse(bytes, code: .malformedCBOR)
        } catch {
            throw Rejection(error.code, error.detail + TransportSlip.hint(bytes), offset: error.offset)
        }
        // Text may be a well-formed item by chance.
        let hint = item.kind == .map ? "" : TransportSlip.hint(bytes)
        guard hint.isEmpty else { throw Rejection(.malformedCBOR, "the bytes are no CBOR map" + hint) }
        return item
    }
}
