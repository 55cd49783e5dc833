import AssayCore
import AssayEncoding

/// `SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }` (RFC 5280 §4.1.1.2).
struct AlgorithmIdentifier {
    let algorithm: OID
    let parameters: DERElement?
    /// The whole SEQUENCE, for comparison with another.
    let der: ArraySlice<UInt8>

    init(from reader: inout DERReader) throws(Rejection) {
        let element = try reader.element(.sequence)
        der = element.encoded
        var fields = DERReader(element.content, code: reader.code)
        algorithm = try fields.objectIdentifier()
        parameters = fields.isAtEnd ? nil : try fields.element()
        try fields.finish("an algorithm")
    }

    /// Whether both are the same algorithm; NULL counts as absent parameters.
    func hasSameMeaning(as other: AlgorithmIdentifier) -> Bool {
        algorithm == other.algorithm && (parameters?.tag ?? .null) == .null && (other.parameters?.tag ?? .null) == .null
    }
}
