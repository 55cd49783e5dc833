import AssayCore
import AssaySchemes

extension BindingRule {
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let payload = section.optional("payload")?.choice(["required": true, "optional": false])
        let embedded = section.optional("embedded").flatMap(EmbeddedChallenge.init(reading:))
        var callerOwned: CallerOwnedRule?
        if let rule = section.optional("caller_owned")?.section() {
            callerOwned = CallerOwnedRule(
                spendEvidenceFor: rule.optional("spend_evidence_for")?.milliseconds(in: 1000...366 * 86_400_000))
            rule.done()
        }
        section.done()
        self.init(payloadRequired: payload ?? false, embedded: embedded, callerOwned: callerOwned)
    }
}

extension EmbeddedChallenge {
    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let (member, start) = (section.optional("json_member"), section.optional("offset"))
        let path = member?.text()
        let offset = start?.integer(in: 0...Self.clientDataLimit)
        let encoding = section.required("encoding")?.choice([
            "raw": Encoding.raw, "base64url": .base64url, "base64": .base64, "hex": .hex,
        ])
        section.done()
        guard (member == nil) != (start == nil) else {
            value.report("want either \"json_member\" or \"offset\"")
            return nil
        }
        let place: Place
        switch (path, offset) {
        case (let path?, _):
            place = .jsonMember(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
        case (nil, let offset?): place = .offset(offset)
        case (nil, nil): return nil  // reported
        }
        guard let encoding else { return nil }
        if let offset, offset + encoding.challengeLength > Self.clientDataLimit {
            value.report(
                "at offset \(offset) the challenge would end beyond the \(Self.clientDataLimit) bytes that client data may have"
            )
        }
        if path?.split(separator: ".", omittingEmptySubsequences: false).contains("") == true {
            value.report("\"json_member\" is a member's name, or names with dots between them")
            return nil
        }
        if path != nil, encoding == .raw {
            value.report("JSON has no raw bytes: want an \"offset\" for \"raw\", or another encoding")
            return nil
        }
        self.init(place: place, encoding: encoding)
    }
}

extension EmbeddedChallenge.Encoding {
    /// In bytes, as it is written.
    fileprivate var challengeLength: Int {
        switch self {
        case .raw: Challenge.length
        case .base64url, .base64: (Challenge.length + 2) / 3 * 4
        case .hex: 2 * Challenge.length
        }
    }
}
