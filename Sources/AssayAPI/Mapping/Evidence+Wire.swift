import AssayCore
import AssayProtobuf

/// Reads `assay.v1.Evidence` directly into the types of AssayCore. The field numbers are those of `proto/assay/v1/evidence.proto`:
/// `EvidenceKind` has those of the kinds, and their layouts those of the fields inside. Of a repeated scalar field the last value counts, as
/// in protobuf.
extension Evidence {
    /// The field of `PluginEvidence`.
    private static let pluginField = 8

    /// A piece of evidence has one kind, once, and no other field: an unknown field could be a kind of a later version.
    static func read(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        guard let field = try reader.next() else { throw .rule(.evidenceOfNoKind) }
        let evidence: Evidence
        switch field {
        case .bytes(pluginField, let value): evidence = try plugin(bytes, value)
        case .bytes(let number, let value):
            guard let kind = EvidenceKind.at(field: number), let message = kind.message else { throw .rule(.evidenceOfNoKind) }
            evidence = try read(kind.format, message.layout, bytes, value)
        default: throw .rule(.evidenceOfNoKind)
        }
        guard try reader.next() == nil else {
            throw .rule(
                RequestError("evidence", "must hold one kind in each piece, once, and nothing that this version does not know"))
        }
        return evidence
    }

    /// The content of a kind's message.
    private static func read(
        _ format: EvidenceFormat, _ layout: EvidenceKind.Layout, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        switch layout {
        case .keyAndBytes: try keyAndBody(format, bytes, range)
        case .bytes, .text: try bodyAlone(format, bytes, range)
        case .certificates: try certificates(format, bytes, range)
        case .signature: try signature(format, bytes, range)
        case .offline: try offline(bytes, range)
        case .bundle: try CertificateBundle.read(bytes, range).evidence
        }
    }

    /// Key id in field 1, body in field 2.
    private static func keyAndBody(
        _ format: EvidenceFormat, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        var keyID = 0..<0
        var body = 0..<0
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): keyID = value
            case .bytes(2, let value): body = value
            default: continue
            }
        }
        return Evidence(format: format, keyID: Array(bytes[keyID]), body: Array(bytes[body]))
    }

    /// The body in field 1.
    private static func bodyAlone(
        _ format: EvidenceFormat, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        var body = 0..<0
        while let field = try reader.next() {
            if case .bytes(1, let value) = field { body = value }
        }
        return Evidence(format: format, keyID: [], body: Array(bytes[body]))
    }

    /// Format in field 1, body in field 2. A format with a message of its own is refused: its evidence has one form in the API.
    private static func plugin(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        var format = 0..<0
        var body = 0..<0
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): format = value
            case .bytes(2, let value): body = value
            default: continue
            }
        }
        guard let format = EvidenceFormat(pluginFormat: bytes[format]) else { throw .rule(.pluginFormat) }
        return Evidence(format: format, keyID: [], body: Array(bytes[body]))
    }

    /// Certificates in field 1, repeated.
    private static func certificates(
        _ format: EvidenceFormat, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        // One copy of the message, of which the certificates are slices.
        let whole = Array(bytes[range])
        var certificates: [ArraySlice<UInt8>] = []
        while let field = try reader.next() {
            if case .bytes(1, let value) = field {
                certificates.append(whole[value.lowerBound - range.lowerBound..<value.upperBound - range.lowerBound])
            }
        }
        return Evidence(format: format, keyID: [], parts: certificates)
    }

    /// Key id in field 1, algorithm in field 2, signature in field 3. An algorithm above 255 is read as unspecified.
    private static func signature(
        _ format: EvidenceFormat, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        var keyID = 0..<0
        var algorithm: UInt64 = 0
        var signature = 0..<0
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): keyID = value
            case .varint(2, let value): algorithm = value
            case .bytes(3, let value): signature = value
            default: continue
            }
        }
        return Evidence(
            format: format, keyID: Array(bytes[keyID]),
            parts: [[UInt8(exactly: algorithm) ?? 0], Array(bytes[signature])[...]])
    }
}

extension Evidence {
    /// Key id in field 1, algorithm in field 2, signature in field 3, time in field 4, SHA-256 of the payload in field 5. An algorithm above 255 is
    /// read as unspecified.
    fileprivate static func offline(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> Evidence {
        var reader = RequestReader(bytes, range)
        var keyID = 0..<0
        var algorithm: UInt64 = 0
        var signature = 0..<0
        var time: UInt64 = 0
        var payload = 0..<0
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): keyID = value
            case .varint(2, let value): algorithm = value
            case .bytes(3, let value): signature = value
            case .varint(4, let value): time = value
            case .bytes(5, let value): payload = value
            default: continue
            }
        }
        return OfflineCapture(
            capturedAt: Timestamp(unixMilliseconds: Int64(bitPattern: time)), payloadHash: Array(bytes[payload])
        ).evidence(keyID: Array(bytes[keyID]), algorithm: UInt8(exactly: algorithm) ?? 0, signature: Array(bytes[signature]))
    }
}

extension EvidenceFormat {
    /// A format of `PluginEvidence`; `nil` for a name that is not of the form, or of a format that has a message of its own.
    package init?(pluginFormat name: some Collection<UInt8>) {
        self.init(named: name)
        guard isOfPlugin else { return nil }
    }
}

extension EvidenceFormat {
    /// Whether evidence of the format travels as `PluginEvidence`.
    var isOfPlugin: Bool { !Self.described.contains(self) }
}

extension RequestError {
    fileprivate static let evidenceOfNoKind = RequestError("evidence", "must be of a kind that this version knows")
    fileprivate static let pluginFormat = RequestError(
        "evidence",
        "a format of plugin_evidence must have 1 to 64 characters of a-z, 0-9, '.', '_' and '-', and no message of its own")
}
