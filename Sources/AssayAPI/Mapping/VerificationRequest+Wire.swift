public import AssayCore
import AssayProtobuf

/// Reads the fields of requests of the hot path.
typealias RequestReader = ProtobufReader<RequestRules>

enum RequestRules: ProtobufRules {
    static var malformed: RequestReadingError { .malformed }
    static var dropsHighBits: Bool { true }
}

/// Why a request was not read.
enum RequestReadingError: Error {
    /// The bytes are not a message.
    case malformed
    /// The message breaks a rule of the API that only its bytes show.
    case rule(RequestError)
}

/// The fields of a request of the hot path, as they are in its message and not yet checked.
protocol RequestMessage {
    /// Reads all fields, in the order of the bytes.
    mutating func readFields(_ bytes: UnsafeRawBufferPointer) throws(RequestReadingError)
}

extension RequestMessage {
    /// Reads a serialised request. Throws `RequestError` with the first rule of the API that it breaks; `false` if the bytes are not a message.
    @inline(__always)
    mutating func read(serialized bytes: [UInt8]) throws(RequestError) -> Bool {
        do throws(RequestReadingError) {
            try bytes.withUnsafeBufferPointer { (bytes) throws(RequestReadingError) in
                try readFields(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            guard case .rule(let error) = error else { return false }
            throw error
        }
        return true
    }
}

/// Reads `assay.v1.VerifyRequest` directly into the types of AssayCore. The field numbers are those of
/// `proto/assay/v1/attestation.proto` and `evidence.proto`.
///
/// Of a repeated scalar field the last value counts, as in protobuf. A repeated message is refused, where protobuf would merge the two:
/// the binding must not depend on how they are merged.
extension VerificationRequest {
    /// Throws `RequestError` with the first field that breaks a rule of the API; `nil` if the bytes are not a message.
    public init?(serialized bytes: [UInt8]) throws(RequestError) {
        var fields = RequestFields()
        guard try fields.read(serialized: bytes) else { return nil }
        try self.init(fields, of: bytes)
    }

    /// - Parameter bytes: those that the fields were read from.
    fileprivate init(_ fields: RequestFields, of bytes: [UInt8]) throws(RequestError) {
        let evidence = try Self.evidence(fields.evidence)
        try ResultRequest.check(fields.results)
        let binding = try BindingRequest(
            fields.binding.map { ($0.mode, bytes[$0.bytes]) }, of: evidence, challenged: !fields.challenge.isEmpty)
        self.init(
            app: try AppID(field: String(decoding: bytes[fields.app], as: UTF8.self)),
            purpose: try Purpose(Assay_V1_Purpose(rawValue: Int(truncatingIfNeeded: fields.purpose)) ?? .unspecified),
            challenge: Array(bytes[fields.challenge]),
            context: try bytes[fields.context].bounded("context", by: Challenge.contextLimit),
            evidence: evidence, binding: binding,
            subject: try bytes[fields.subject].bounded("subject", by: Self.subjectLimit),
            expectedDevice: try DeviceID?(field: "expected_device_id", optional: bytes[fields.expectedDevice]),
            idempotencyKey: try bytes[fields.idempotencyKey].bounded("idempotency_key", by: Self.idempotencyKeyLimit),
            sourceAddress: fields.sourceAddress.isEmpty ? nil : try SourceAddress?(field: bytes[fields.sourceAddress]),
            signals: try bytes[fields.signals].bounded("signals", by: SignalDocument.sizeLimit),
            replaces: try DeviceID?(field: "replaces_device_id", optional: bytes[fields.replaces]), results: fields.results,
            report: try VerdictReport(field: fields.report),
            upload: fields.upload.isEmpty ? nil : try Self.upload(bytes[fields.upload], with: binding))
    }

    private static func upload(_ name: ArraySlice<UInt8>, with binding: BindingRequest) throws(RequestError) -> UploadID {
        guard binding == .clientData(payloadHash: nil) else {
            throw RequestError("binding.client_data", "must hold payload_sha256 or upload_id, not both")
        }
        return try UploadID(field: "binding.client_data.upload_id", name)
    }

    private static func evidence(_ pieces: [Evidence]) throws(RequestError) -> [Evidence] {
        guard (1...evidenceLimit).contains(pieces.count) else {
            throw RequestError("evidence", "must hold 1 to \(evidenceLimit) pieces, not \(pieces.count)")
        }
        for (index, piece) in pieces.enumerated() where pieces[..<index].contains(where: { $0.format == piece.format }) {
            throw RequestError("evidence", "must not hold two pieces of the format \(piece.format)")
        }
        return pieces
    }
}

/// A request for a certificate, read like `assay.v1.VerifyRequest`, so that both have the same rules. The field numbers are those of
/// `IssueCertificateRequest` in `proto/assay/v1/provisioning.proto`.
package struct IssuanceFields: Sendable {
    /// What the certificate is asked for.
    package enum Key: Sendable {
        case csr([UInt8])
        /// A SubjectPublicKeyInfo (DER).
        case publicKey([UInt8])
    }

    /// The most bytes of a bare public key.
    private static let publicKeyLimit = 1024

    package let request: VerificationRequest
    package let key: Key

    /// Throws `RequestError` with the first field that breaks a rule of the API; `nil` if the bytes are not a message.
    package init?(serialized bytes: [UInt8]) throws(RequestError) {
        var message = IssuanceMessage()
        guard try message.read(serialized: bytes) else { return nil }
        request = try VerificationRequest(message.fields, of: bytes)
        switch message.key {
        case .csr(let range): key = .csr(try bytes[range].csr())
        case .publicKey(let range): key = .publicKey(try bytes[range].bounded("public_key", by: Self.publicKeyLimit))
        case nil:
            guard !message.hasUnknown else { throw .unknownChoice("key") }
            throw RequestError("key", "must be a CSR or a public key")
        }
    }
}

/// The fields of an `IssueCertificateRequest`, not yet checked, as ranges of its bytes.
private struct IssuanceMessage: RequestMessage {
    enum Key {
        case csr(Range<Int>)
        case publicKey(Range<Int>)
    }

    var fields = RequestFields()
    var key: Key?
    var hasUnknown = false

    mutating func readFields(_ bytes: UnsafeRawBufferPointer) throws(RequestReadingError) {
        var evidence: [Range<Int>] = []
        var payload = 0..<0
        var reader = RequestReader(bytes)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): fields.app = value
            case .bytes(2, let value): fields.challenge = value
            case .bytes(3, let value): fields.context = value
            case .bytes(4, let value): evidence.append(value)
            case .bytes(5, let value): payload = value
            // Of the members of a oneof the last one counts, as in protobuf.
            case .bytes(6, let value): key = .csr(value)
            case .bytes(7, let value): key = .publicKey(value)
            case .bytes(8, let value): fields.subject = value
            case .bytes(9, let value): fields.expectedDevice = value
            case .bytes(10, let value): fields.idempotencyKey = value
            case .bytes(11, let value): fields.sourceAddress = value
            default:
                guard !(1...11).contains(field.number) else { throw .malformed }
                hasUnknown = true
            }
        }
        fields.purpose = UInt64(Assay_V1_Purpose.provision.rawValue)
        fields.binding = (.clientData, payload)
        // The app comes before the evidence, as with every method.
        do throws(RequestError) {
            _ = try AppID(field: String(decoding: bytes[fields.app], as: UTF8.self))
        } catch {
            throw .rule(error)
        }
        for range in evidence { fields.evidence.append(try Evidence.read(bytes, range)) }
    }
}

/// The fields of a `VerifyRequest`, not yet checked, as ranges of its bytes.
private struct RequestFields: RequestMessage {
    var app = 0..<0
    var purpose: UInt64 = 0
    var challenge = 0..<0
    var context = 0..<0
    var evidence: [Evidence] = []
    var binding: (mode: Binding.Mode, bytes: Range<Int>)?
    /// The second field of a binding by client data.
    var upload = 0..<0
    var subject = 0..<0
    var expectedDevice = 0..<0
    var idempotencyKey = 0..<0
    var sourceAddress = 0..<0
    var signals = 0..<0
    var replaces = 0..<0
    var results: [ResultRequest] = []
    var report: UInt64 = 0

    mutating func readFields(_ bytes: UnsafeRawBufferPointer) throws(RequestReadingError) {
        var reader = RequestReader(bytes)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let value): app = value
            case .varint(2, let value): purpose = value
            case .bytes(3, let value): challenge = value
            case .bytes(4, let value): context = value
            case .bytes(5, let value): evidence.append(try Evidence.read(bytes, value))
            case .bytes(6, let value):
                guard binding == nil else { throw .rule(RequestError("binding", "must be given once")) }
                let read = try Self.binding(bytes, value)
                (binding, upload) = ((read.mode, read.bytes), read.upload)
            case .bytes(7, let value): subject = value
            case .bytes(8, let value): expectedDevice = value
            case .bytes(9, let value): idempotencyKey = value
            case .bytes(10, let value): sourceAddress = value
            case .bytes(11, let value): signals = value
            case .bytes(12, let value): replaces = value
            case .bytes(13, let value):
                guard results.count < ResultRequest.countLimit else {
                    throw .rule(RequestError("results", "must hold at most \(ResultRequest.countLimit)"))
                }
                results.append(try ResultRequest.read(bytes, value, at: results.count))
            case .varint(14, let value): report = value
            default:
                // A field of a later version is skipped; a known field of another wire type makes the message malformed.
                guard !(1...14).contains(field.number) else { throw .malformed }
            }
        }
    }

    /// A binding has one mode, once, and neither has an unknown field: it could be a mode of a later version, or a part of what is bound,
    /// and must not be ignored. Client data may name an upload in place of its bytes.
    private static func binding(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestReadingError) -> (mode: Binding.Mode, bytes: Range<Int>, upload: Range<Int>) {
        var reader = RequestReader(bytes, range)
        // The members of the oneof have the numbers of the modes, and each has its bytes in field 1.
        guard case .bytes(let number, let value)? = try reader.next(),
            let mode = UInt8(exactly: number).flatMap(Binding.Mode.init(rawValue:))
        else { throw .rule(RequestError("binding", "must name a mode that this version knows, or be left out")) }
        guard try reader.next() == nil else {
            throw .rule(RequestError("binding", "must hold one mode, once, and nothing that this version does not know"))
        }
        var inner = RequestReader(bytes, value)
        var (held, upload) = (0..<0, 0..<0)
        while let field = try inner.next() {
            switch field {
            case .bytes(1, let value): held = value
            case .bytes(2, let value) where mode == .clientData: upload = value
            default: throw .rule(RequestError("binding.\(mode.name)", "must hold nothing that this version does not know"))
            }
        }
        return (mode, held, upload)
    }
}

extension VerdictReport {
    /// Left out, it is `first`.
    fileprivate init(field value: UInt64) throws(RequestError) {
        switch Assay_V1_VerifyRequest.Report(rawValue: Int(clamping: value)) {
        case .unspecified?, .first?: self = .first
        case .all?: self = .all
        case .UNRECOGNIZED?, nil: throw RequestError("report", "must be FIRST or ALL, or left out")
        }
    }

    var message: Assay_V1_VerifyRequest.Report {
        switch self {
        // As it is left out, so that requests stay as they are.
        case .first: .unspecified
        case .all: .all
        }
    }
}

extension VerificationRequest.BindingRequest {
    /// The longest client data hash of a caller-owned binding, in bytes. Platforms do not enforce 32 bytes.
    static let hashLimit = 64

    /// The binding that a request names, or leaves out. A certificate bundle and an offline signature are signed without a challenge: each has no
    /// challenge, and no binding but that in the evidence, which is implied. A bundle is alone in its request; beside an offline signature may
    /// stand evidence of plugins, which can be parts of the payload that it covers. For evidence of plugins alone the binding is implied if there
    /// is no challenge. Other evidence never has it.
    fileprivate init(
        _ given: (mode: Binding.Mode, bytes: ArraySlice<UInt8>)?, of evidence: [Evidence], challenged: Bool
    ) throws(RequestError) {
        guard let format = evidence.lazy.map(\.format).first(where: { $0.statementName != nil }),
            let statement = format.statementName
        else {
            if given == nil, !challenged, evidence.allSatisfy(\.format.isOfPlugin) {
                self = .inEvidence
                return
            }
            try self.init(given)
            guard self != .inEvidence || evidence.allSatisfy(\.format.isOfPlugin) else {
                throw RequestError(
                    "binding.in_evidence", "is only for a certificate bundle, an offline signature and evidence of plugins")
            }
            return
        }
        let hasPartsAlone = evidence.allSatisfy { $0.format == format || $0.format.isOfPlugin }
        guard evidence.count == 1 || format == .offlineSignature && hasPartsAlone else {
            throw RequestError(
                "evidence",
                format == .offlineSignature
                    ? "must hold \(statement) alone, or beside evidence of plugins"
                    : "must hold \(statement) alone, not beside other evidence")
        }
        guard !challenged else {
            throw RequestError("challenge", "must be empty: \(statement) is signed without one")
        }
        self = try given.map { (given) throws(RequestError) in try Self(given) } ?? .inEvidence
        guard self == .inEvidence else {
            throw RequestError("binding", "must be left out, or in_evidence, with \(statement)")
        }
    }

    fileprivate init(_ binding: (mode: Binding.Mode, bytes: ArraySlice<UInt8>)?) throws(RequestError) {
        switch binding?.mode {
        case nil: self = .clientData(payloadHash: nil)
        case .clientData?:
            let hash = binding.map { Array($0.bytes) } ?? []
            guard hash.isEmpty || hash.count == 32 else {
                // 64 hexadecimal digits are 48 bytes if they are read as Base64, and 64 as bytes.
                let hint = [48, 64].contains(hash.count) ? ": send the bytes of the hash, not its hexadecimal digits" : ""
                throw RequestError("binding.client_data.payload_sha256", "must have 32 bytes or none, not \(hash.count)\(hint)")
            }
            // In client data 32 zero bytes mean that no payload is bound: a verdict must not name them as a payload's hash.
            guard hash.isEmpty || hash.contains(where: { $0 != 0 }) else {
                throw RequestError(
                    "binding.client_data.payload_sha256", "must not be 32 zero bytes; leave it empty to bind no payload")
            }
            self = .clientData(payloadHash: hash.isEmpty ? nil : hash)
        case .embedded?: self = .embedded(binding.map { Array($0.bytes) } ?? [])
        case .callerOwned?:
            let hash = binding.map { Array($0.bytes) } ?? []
            guard (1...Self.hashLimit).contains(hash.count) else {
                throw RequestError("binding.caller_owned.client_data_hash", "must have 1 to \(Self.hashLimit) bytes")
            }
            self = .callerOwned(hash)
        case .inEvidence?:
            guard binding?.bytes.isEmpty ?? true else {
                throw RequestError("binding.in_evidence", "must hold nothing that this version does not know")
            }
            self = .inEvidence
        }
    }
}

extension EvidenceFormat {
    /// What evidence is called that is always a statement of its own; `nil` for all other formats.
    fileprivate var statementName: String? {
        switch self {
        case .certificateBundle: "a certificate bundle"
        case .offlineSignature: "an offline signature"
        default: nil
        }
    }
}
