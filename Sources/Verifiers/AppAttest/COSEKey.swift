import AssayCore
import AssayEncoding

/// A COSE_Key (RFC 9052 §7) of exactly the five entries of a P-256 key for ES256: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` with
/// coordinates of 32 bytes, leading zeros included.
struct COSEKey {
    let x: ArraySlice<UInt8>
    let y: ArraySlice<UInt8>

    /// Throws `credential_key_mismatch` for any other form: it cannot be the certified key.
    init(_ item: CBORItem) throws(Rejection) {
        var (x, y): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var parameters = 0
        guard item.kind == .map, item.argument == 5 else { throw Self.mismatch }
        try item.pairs("the key") { (label, value) throws(Rejection) in
            switch label.integer {
            case 1 where value.integer == 2: parameters += 1
            case 3 where value.integer == -7: parameters += 1
            case -1 where value.integer == 1: parameters += 1
            case -2 where value.kind == .byteString && value.content.count == 32: x = value.content
            case -3 where value.kind == .byteString && value.content.count == 32: y = value.content
            default: throw Self.mismatch
            }
        }
        // Labels are distinct, so five accepted entries are the five.
        guard parameters == 3, let x, let y else { throw Self.mismatch }
        (self.x, self.y) = (x, y)
    }

    /// Whether the uncompressed point has these coordinates.
    func isPoint(_ point: ArraySlice<UInt8>) -> Bool {
        point.count == 65 && point.dropFirst().prefix(32).elementsEqual(x) && point.suffix(32).elementsEqual(y)
    }

    private static var mismatch: Rejection {
        Rejection(.credentialKeyMismatch, "the credential public key is not an EC2 key for ES256 on P-256")
    }
}
