import AssayEncoding

/// The extensions of a certificate (RFC 5280 §4.1.2.9), encoded one behind the other as they are added.
struct CertificateExtensions: Sendable {
    private(set) var encoded: DERBuffer

    /// - Parameters:
    ///   - encoded: the first ones.
    ///   - capacity: the octets that are allocated at first.
    init(_ encoded: [UInt8] = [], capacity: Int = 256) {
        self.encoded = DERBuffer(capacity: capacity)
        self.encoded.append(encoded)
    }

    /// Adds those that are encoded already.
    mutating func append(_ encoded: [UInt8]) { self.encoded.append(encoded) }

    /// - Parameter content: writes the content of extnValue: DER, unless the extension's specification has other bytes.
    mutating func add(_ identifier: OID, isCritical: Bool = false, _ content: (inout DERBuffer) -> Void) {
        encoded.sequence {
            $0.objectIdentifier(identifier)
            // DER leaves out what is FALSE by default.
            if isCritical { $0.boolean(true) }
            $0.element(0x04, content)
        }
    }
}
