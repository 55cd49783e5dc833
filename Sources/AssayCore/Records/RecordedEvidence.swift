/// The evidence of a request, and all that its appraisal went by: what a recording keeps beside it, encrypted, for apps that keep evidence.
package struct RecordedEvidence: Hashable, Sendable {
    /// Purpose, challenge, evidence, binding and signals alone.
    package let request: VerificationRequest
    /// The bytes that the device was expected to sign.
    package let binding: Binding
    /// Of each piece of evidence, in order.
    package let facts: [Facts]

    package init(request: VerificationRequest, binding: Binding, facts: [Facts]) {
        self.request = VerificationRequest(
            app: request.app, purpose: request.purpose, challenge: request.challenge, evidence: request.evidence,
            binding: request.binding, signals: request.signals)
        (self.binding, self.facts) = (binding, facts)
    }
}

/// The stored form, before it is encrypted: a version, then fields behind their lengths.
extension RecordedEvidence {
    private static let version: Int64 = 1

    package func encoded() -> [UInt8] {
        var writer = StoredFieldsWriter()
        writer.add(Self.version)
        writer.add(request.app.text)
        writer.add([request.purpose.rawValue, binding.mode.rawValue])
        writer.add(request.challenge)
        writer.add(request.signals)
        writer.add(binding.mode == .clientData ? binding.payloadHash ?? [] : binding.clientData)
        for (piece, facts) in zip(request.evidence, facts) {
            writer.nest { fields in
                fields.add(piece.format.rawValue)
                fields.add(piece.keyID)
                fields.add(piece.body)
                fields.add(facts.encoded())
            }
        }
        return writer.bytes
    }

    /// `nil` for bytes that `encoded()` of this version did not make.
    package init?(decoding bytes: [UInt8]) {
        var reader = StoredFieldsReader(bytes)
        guard reader.number() == Self.version, let app = reader.text().flatMap(AppID.init), let head = reader.bytes(),
            head.count == 2, let purpose = head.first.flatMap(Purpose.init(rawValue:)),
            let mode = head.last.flatMap(Binding.Mode.init(rawValue:)), let challenge = reader.bytes(),
            let signals = reader.bytes(), let bound = reader.bytes()
        else { return nil }
        var (evidence, facts): ([Evidence], [Facts]) = ([], [])
        while !reader.isAtEnd {
            guard evidence.count < VerificationRequest.evidenceLimit, var fields = reader.nested(),
                let format = fields.text(), let keyID = fields.bytes(), let body = fields.bytes(),
                let known = fields.bytes().flatMap(Facts.init(decoding:)), fields.isAtEnd
            else { return nil }
            evidence.append(Evidence(format: EvidenceFormat(rawValue: format), keyID: keyID, body: body))
            facts.append(known)
        }
        let asked: VerificationRequest.BindingRequest
        let binding: Binding
        switch mode {
        case .clientData:
            let payload = bound.isEmpty ? nil : bound
            guard let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: payload) else { return nil }
            (asked, binding) = (.clientData(payloadHash: payload), Binding(data))
        case .embedded: (asked, binding) = (.embedded(bound), Binding(embedded: bound, challenge: challenge))
        case .callerOwned: (asked, binding) = (.callerOwned(bound), Binding(callerOwned: bound))
        case .inEvidence: (asked, binding) = (.inEvidence, .inEvidence)
        }
        self.init(
            request: VerificationRequest(
                app: app, purpose: purpose, challenge: challenge, evidence: evidence, binding: asked, signals: signals),
            binding: binding, facts: facts)
    }
}
