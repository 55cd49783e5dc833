/// A kind of evidence that this version knows: its format, and how it travels. The rows are in `Evidence+Formats.swift`.
///
/// Formats of plugins have no row: their evidence travels as `assay.v1.PluginEvidence`, under the name of its format.
package struct EvidenceKind: Hashable, Sendable {
    /// How the message of a kind holds its evidence. Numbers are those of the message's fields.
    package enum Layout: Hashable, Sendable {
        /// 1: the key id, 2: the body.
        case keyAndBytes
        /// 1: the body.
        case bytes
        /// 1: the body, a token in UTF-8.
        case text
        /// 1, repeated: the parts, each a certificate in DER, leaf first.
        case certificates
        /// 1: the key id, 2: the algorithm, 3: the signature. The parts: the algorithm's byte and the signature.
        case signature
        /// 1: the key id, 2: the algorithm, 3: the signature, 4: the time of the capture, 5: the payload's SHA-256. The parts: see
        /// ``OfflineCapture``.
        case offline
        /// The forms of ``CertificateBundle``.
        case bundle
    }

    /// The message of a kind in the API.
    package struct Message: Hashable, Sendable {
        /// The number of its field in the oneof `kind` of `assay.v1.Evidence`.
        package let field: Int
        package let layout: Layout
    }

    package let format: EvidenceFormat
    /// `nil`: such evidence is never sent by itself.
    package let message: Message?

    /// A kind that travels in a field of `assay.v1.Evidence`.
    init(_ format: EvidenceFormat, field: Int, _ layout: Layout) {
        (self.format, message) = (format, Message(field: field, layout: layout))
    }

    /// A kind that is never sent by itself.
    init(_ format: EvidenceFormat) { (self.format, message) = (format, nil) }
}

extension EvidenceKind {
    /// The kind whose message has that number in `assay.v1.Evidence`.
    package static func at(field: Int) -> EvidenceKind? {
        byField.indices.contains(field) ? byField[field] : nil
    }

    /// The kind of a format; `nil` for formats of plugins.
    package static func of(_ format: EvidenceFormat) -> EvidenceKind? { byFormat[format] }

    /// By the number of the field, for the hot path: looked up without hashing.
    private static let byField: [EvidenceKind?] = {
        let fields = all.compactMap { kind in kind.message.map { (number: $0.field, kind: kind) } }
        var rows = [EvidenceKind?](repeating: nil, count: (fields.map(\.number).max() ?? 0) + 1)
        for field in fields { rows[field.number] = field.kind }
        return rows
    }()

    private static let byFormat = Dictionary(all.map { ($0.format, $0) }, uniquingKeysWith: { first, _ in first })
}
