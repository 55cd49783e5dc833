import AssayCore
import AssayEncoding

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
        try CBORReader.parse(bytes, code: .malformedCBOR).pairs("the object") { (key, value) throws(Rejection) in
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
