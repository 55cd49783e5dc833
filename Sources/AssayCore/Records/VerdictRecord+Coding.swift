/// The stored form of a record: a version, then fields behind their lengths (`StoredFieldsWriter`). Internal; never on the wire. It may change
/// with a release: records of an unknown form cannot be decoded, and are listed by their columns alone.
extension VerdictRecord {
    /// The form without vendor codes, which earlier releases read too.
    private static let version: Int64 = 1
    /// Each finding has its vendor code behind it. Written where one has one.
    private static let versionWithVendorCodes: Int64 = 2
    /// As before, with the traits of the device at the end and a third flag: not enforced. Written where there is one of them.
    private static let versionWithTraits: Int64 = 3

    package func encoded() -> [UInt8] {
        var writer = StoredFieldsWriter()
        let hasTraits = wouldReject || !traits.isEmpty
        let hasVendorCodes = hasTraits || findings.contains { !$0.vendorCode.isEmpty }
        writer.add(hasTraits ? Self.versionWithTraits : hasVendorCodes ? Self.versionWithVendorCodes : Self.version)
        writer.add([
            decision.rawValue, request.purpose.rawValue, assurance.rawValue, request.binding?.rawValue ?? 0,
            (simulated ? 1 : 0) | (isTruncated ? 2 : 0) | (wouldReject ? 4 : 0),
        ])
        writer.add(request.time)
        writer.add(request.id)
        writer.add(request.caller)
        writer.add(request.app.text)
        writer.add(request.formats.map { Array($0.rawValue.utf8) })
        writer.add(request.subject)
        writer.add(request.evidenceDigest)
        writer.add(request.payloadDigest)
        writer.add(device?.bytes ?? [])
        writer.add(policyDigest)
        writer.add(standsFor)
        writer.nest { nested in
            guard let reason else { return }
            nested.add(reason.code)
            nested.add(reason.check)
            nested.add(reason.sentence)
            nested.add(reason.retry.rawValue)
        }
        writer.nest { nested in
            for finding in findings {
                nested.add([finding.outcome.rawValue])
                nested.add(finding.check)
                nested.add(finding.code)
                nested.add(finding.detail)
                nested.add(finding.retry?.rawValue ?? "")
                if hasVendorCodes { nested.add(finding.vendorCode) }
            }
        }
        writer.nest { nested in
            for feed in feeds {
                nested.add(feed.name)
                nested.add(feed.id)
                nested.add(feed.asOf)
            }
        }
        if hasTraits { writer.nest { $0.add(traits) } }
        return writer.bytes
    }

    /// Decodes a record. `nil` for all other bytes.
    package init?(decoding bytes: [UInt8]) {
        var reader = StoredFieldsReader(bytes)
        guard let version = reader.number(), (Self.version...Self.versionWithTraits).contains(version),
            var head = reader.bytes()?[...],
            let decision = head.popFirst().flatMap(Decision.init(rawValue:)),
            let purpose = head.popFirst().flatMap(Purpose.init(rawValue:)),
            let assurance = head.popFirst().flatMap(Assurance.init(rawValue:)), let binding = head.popFirst(),
            let flags = head.popFirst(), flags <= (version == Self.versionWithTraits ? 7 : 3), head.isEmpty,
            let time = reader.time(), let id = reader.bytes(), let caller = reader.text(),
            let app = reader.text().flatMap(AppID.init), let formats = reader.list(), let subject = reader.bytes(),
            let evidenceDigest = reader.bytes(), let payloadDigest = reader.bytes(), let device = reader.bytes(),
            let policyDigest = reader.bytes(), let standsFor = reader.number(), let reason = reader.nested(),
            let findings = reader.nested().flatMap({ Self.findings($0, version: version) }),
            let feeds = reader.nested().flatMap(Self.feeds),
            device.isEmpty || device.count == DeviceID.length
        else { return nil }
        var traits = DeviceTraits()
        if version == Self.versionWithTraits {
            guard let stored = reader.nested().flatMap(DeviceTraits.init) else { return nil }
            traits = stored
        }
        guard reader.isAtEnd else { return nil }
        guard let why = Self.reason(reason) else { return nil }
        self.init(
            Request(
                id: id, time: time, caller: caller, app: app, purpose: purpose,
                formats: formats.map { EvidenceFormat(rawValue: String(decoding: $0, as: UTF8.self)) }, subject: subject,
                evidenceDigest: evidenceDigest, binding: Binding.Mode(rawValue: binding), payloadDigest: payloadDigest),
            decision, reason: why, assurance: assurance, device: DeviceID(bytes: device), findings: findings,
            policyDigest: policyDigest, feeds: feeds, simulated: flags & 1 != 0, standsFor: standsFor,
            isTruncated: flags & 2 != 0, wouldReject: flags & 4 != 0, traits: traits)
    }

    /// `.some(nil)` where no reason is stored.
    private static func reason(_ stored: StoredFieldsReader) -> Reason?? {
        var reader = stored
        guard !reader.isAtEnd else { return .some(nil) }
        guard let code = reader.text(), let check = reader.text(), let sentence = reader.text(),
            let retry = reader.text().flatMap(RetryClass.init(rawValue:)), reader.isAtEnd
        else { return nil }
        return Reason(code: code, check: check, sentence: sentence, retry: retry)
    }

    private static func findings(_ stored: StoredFieldsReader, version: Int64) -> [Finding]? {
        var (reader, findings) = (stored, [Finding]())
        while !reader.isAtEnd {
            guard let outcome = reader.bytes()?.first.flatMap(Finding.Outcome.init(rawValue:)), let check = reader.text(),
                let code = reader.text(), let detail = reader.text(), let retry = reader.text(),
                findings.count < RecordLimits.findings
            else { return nil }
            var finding = Finding(
                check: check, outcome: outcome, code: code, detail: detail, retry: RetryClass(rawValue: retry))
            if version >= versionWithVendorCodes {
                guard let vendorCode = reader.text() else { return nil }
                finding.vendorCode = vendorCode
            }
            findings.append(finding)
        }
        return findings
    }

    private static func feeds(_ stored: StoredFieldsReader) -> [FeedVersion]? {
        var (reader, feeds) = (stored, [FeedVersion]())
        while !reader.isAtEnd {
            guard let name = reader.text(), let id = reader.text(), let asOf = reader.time(), feeds.count < RecordLimits.feeds
            else { return nil }
            feeds.append(FeedVersion(name: name, id: id, asOf: asOf))
        }
        return feeds
    }
}
