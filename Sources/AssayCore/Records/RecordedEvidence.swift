/// A request with its evidence, and all facts that its verdict went by: what a recording keeps beside it, encrypted, for apps that keep evidence.
///
/// It names no subject. Of blocks and subjects it keeps what the rules compare: ``RequestFacts/recorded``.
package struct RecordedEvidence: Hashable, Sendable {
    /// Without context, subject, idempotency key and the address of the caller's client.
    package let request: VerificationRequest
    package let known: RequestFacts

    package init(request: VerificationRequest, known: RequestFacts) {
        self.request = VerificationRequest(
            app: request.app, purpose: request.purpose, challenge: request.challenge, evidence: request.evidence,
            binding: request.binding, expectedDevice: request.expectedDevice, signals: request.signals,
            replaces: request.replaces)
        self.known = known.recorded
    }
}

/// The stored form, before it is encrypted: a version, then fields behind their lengths.
extension RecordedEvidence {
    /// 1 had no field for what the request says of devices, and the facts of all pieces.
    private static let version: Int64 = 2

    package func encoded() -> [UInt8] {
        var writer = StoredFieldsWriter()
        writer.add(Self.version)
        writer.add(request.app.text)
        let (mode, bound) = request.binding.stored
        writer.add([request.purpose.rawValue, mode.rawValue])
        writer.add(request.challenge)
        writer.add(request.signals)
        writer.add(bound)
        writer.nest { fields in
            fields.add(request.expectedDevice?.bytes ?? [])
            fields.add(request.replaces?.bytes ?? [])
            known.write(&fields)
        }
        for (index, piece) in request.evidence.enumerated() {
            writer.nest { fields in
                fields.add(piece.format.rawValue)
                fields.add(piece.keyID)
                fields.add(piece.body)
                // Left out for a piece of which no fact was fetched.
                guard index < known.pieces.count else { return }
                known.pieces[index].write(&fields)
            }
        }
        return writer.bytes
    }

    /// `nil` for bytes that `encoded()` of this version or the one before did not make.
    package init?(decoding bytes: [UInt8]) {
        var reader = StoredFieldsReader(bytes)
        guard let version = reader.number(), version == Self.version || version == 1,
            let app = reader.text().flatMap(AppID.init), let head = reader.bytes(), head.count == 2,
            let purpose = head.first.flatMap(Purpose.init(rawValue:)),
            let mode = head.last.flatMap(Binding.Mode.init(rawValue:)), let challenge = reader.bytes(),
            let signals = reader.bytes(), let bound = reader.bytes()
        else { return nil }
        var known = RequestFacts(pieces: [])
        var devices: (expected: DeviceID?, replaces: DeviceID?) = (nil, nil)
        if version == Self.version {
            guard var fields = reader.nested(), let expected = fields.optionalDevice(),
                let replaces = fields.optionalDevice(), known.read(&fields), fields.isAtEnd
            else { return nil }
            devices = (expected, replaces)
        }
        var evidence: [Evidence] = []
        while !reader.isAtEnd {
            guard evidence.count < VerificationRequest.evidenceLimit, var fields = reader.nested(),
                let format = fields.text(), let keyID = fields.bytes(), let body = fields.bytes()
            else { return nil }
            evidence.append(Evidence(format: EvidenceFormat(rawValue: format), keyID: keyID, body: body))
            guard version == 1 || !fields.isAtEnd else { continue }
            guard known.pieces.count == evidence.count - 1,
                let piece = RequestFacts.Piece(&fields, isOfVersion1: version == 1), fields.isAtEnd
            else { return nil }
            known.pieces.append(piece)
        }
        request = VerificationRequest(
            app: app, purpose: purpose, challenge: challenge, evidence: evidence,
            binding: VerificationRequest.BindingRequest(mode, stored: bound), expectedDevice: devices.expected,
            signals: signals, replaces: devices.replaces)
        self.known = known
    }
}

extension VerificationRequest.BindingRequest {
    /// The mode, and what the caller says is bound.
    fileprivate var stored: (mode: Binding.Mode, bound: [UInt8]) {
        switch self {
        case .clientData(let payloadHash): (.clientData, payloadHash ?? [])
        case .embedded(let data): (.embedded, data)
        case .callerOwned(let hash): (.callerOwned, hash)
        case .inEvidence: (.inEvidence, [])
        }
    }

    fileprivate init(_ mode: Binding.Mode, stored bound: [UInt8]) {
        switch mode {
        case .clientData: self = .clientData(payloadHash: bound.isEmpty ? nil : bound)
        case .embedded: self = .embedded(bound)
        case .callerOwned: self = .callerOwned(bound)
        case .inEvidence: self = .inEvidence
        }
    }
}

extension RequestFacts {
    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        fields.add(subject ?? [])
        fields.add(isSubjectBlocked.map { [$0 ? 1 : 0] } ?? [])
        switch replaced {
        case nil: fields.add([] as [UInt8])
        case .unknown: fields.add([0])
        case .device(let device):
            fields.add([1])
            fields.add(Facts(device: device).encoded())
        }
    }

    /// Reads everything but the pieces. Returns false for bytes that ``write(_:)`` did not make.
    fileprivate mutating func read(_ fields: inout StoredFieldsReader) -> Bool {
        guard let subject = fields.bytes(), let blocked = fields.bytes(), let replaced = fields.bytes() else { return false }
        self.subject = subject.isEmpty ? nil : subject
        switch blocked {
        case []: isSubjectBlocked = nil
        case [0]: isSubjectBlocked = false
        case [1]: isSubjectBlocked = true
        default: return false
        }
        switch replaced {
        case []: self.replaced = nil
        case [0]: self.replaced = .unknown
        case [1]:
            guard let device = fields.bytes().flatMap(Facts.init(decoding:))?.device else { return false }
            self.replaced = .device(device)
        default: return false
        }
        return true
    }
}

extension RequestFacts.Piece {
    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        fields.add(facts.encoded())
        fields.add([lookups.rawValue])
        fields.add(locatedKeyID ?? [])
        guard let locationRefusal else { return }
        fields.add(locationRefusal.code.rawValue)
        fields.add(locationRefusal.detail)
        fields.add(locationRefusal.retry.rawValue)
    }

    /// - Parameter isOfVersion1: version 1 kept the facts of requests alone that were appraised: all lookups had been made.
    fileprivate init?(_ fields: inout StoredFieldsReader, isOfVersion1: Bool) {
        guard let facts = fields.bytes().flatMap(Facts.init(decoding:)) else { return nil }
        guard !isOfVersion1 else {
            let records: RequestFacts.Lookups = [.device, .certificate, .location]
            self.init(facts: facts, lookups: facts.opinions.isEmpty ? records : records.union(.opinions))
            return
        }
        guard let lookups = fields.bytes(), lookups.count == 1, let located = fields.bytes() else { return nil }
        self.init(
            facts: facts, lookups: RequestFacts.Lookups(rawValue: lookups[0]),
            locatedKeyID: located.isEmpty ? nil : located)
        guard !fields.isAtEnd else { return }
        guard let code = fields.text().flatMap(FailureCode.init(rawValue:)), let detail = fields.text(),
            let retry = fields.text().flatMap(RetryClass.init(rawValue:))
        else { return nil }
        locationRefusal = Rejection(code, detail, retry: retry)
    }
}

extension StoredFieldsReader {
    /// `.some(nil)` for an empty field.
    fileprivate mutating func optionalDevice() -> DeviceID?? {
        guard let field = bytes() else { return nil }
        guard !field.isEmpty else { return .some(nil) }
        return DeviceID(bytes: field).map { .some($0) }
    }
}
