/// Writes COSE_Sign1 (RFC 9052 §4.2) with ``CBORWriter``. It signs nothing and knows no algorithm: the caller signs `toBeSigned`.
///
/// The headers are encoded once, since they are constants of a key.
package struct COSEWriter: Sendable {
    /// The protected header: a byte string.
    private let protected: [UInt8]
    /// The unprotected header: a map.
    private let unprotected: [UInt8]

    /// Labels are distinct in both headers together (RFC 9052 §3); readers refuse other messages.
    ///
    /// - Parameters:
    ///   - protected: labels, and values that are encoded already. `alg`, label 1, is among them (RFC 9052 §3.1).
    ///   - unprotected: the same, of what is not signed.
    package init(protected: [(key: Int64, value: [UInt8])], unprotected: [(key: Int64, value: [UInt8])] = []) {
        // Without members it is the empty byte string, not that of an empty map (RFC 9052 §3).
        self.protected = CBORWriter.bytes(protected.isEmpty ? [] : Self.map(protected))
        self.unprotected = Self.map(unprotected)
    }

    /// The Sig_structure: ["Signature1", protected, external_aad, payload] (RFC 9052 §4.4).
    ///
    /// - Parameter externalData: what is signed and is not in the message.
    package func toBeSigned(_ payload: [UInt8], externalData: [UInt8] = []) -> [UInt8] {
        CBORWriter.array([
            CBORWriter.text("Signature1"), protected, CBORWriter.bytes(externalData), CBORWriter.bytes(payload),
        ])
    }

    /// The message: [protected, unprotected, payload, signature].
    ///
    /// - Parameters:
    ///   - signature: as `alg` has it. For ECDSA it is r ‖ s (RFC 9053 §2.1), not DER.
    ///   - tagged: whether it stands under tag 18, or its place says what it is (RFC 9052 §2).
    package func message(_ payload: [UInt8], signature: [UInt8], tagged: Bool = true) -> [UInt8] {
        let message = CBORWriter.array([protected, unprotected, CBORWriter.bytes(payload), CBORWriter.bytes(signature)])
        return tagged ? CBORWriter.tagged(18, message) : message
    }

    private static func map(_ members: [(key: Int64, value: [UInt8])]) -> [UInt8] {
        CBORWriter.map(members.map { (CBORWriter.integer($0.key), $0.value) })
    }
}
