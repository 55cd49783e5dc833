/// The encoding in which facts are stored: a version byte, then for each fact that there is its number, one byte, and its fields
/// (`StoredFieldsWriter`), in ascending order of the numbers. Internal; never on the wire.
///
/// A later version may add facts. Bytes with a fact that this version does not know are not decoded: without it the appraisal
/// could come out differently.
extension Facts {
    static let version: UInt8 = 1

    private enum Kind: UInt8 {
        case device = 1, attestationKeyUse, revocation, outsideAnswer, certificate, submissions, opinions
    }

    public func encoded() -> [UInt8] {
        var bytes = [Self.version]
        func add(_ kind: Kind, _ write: (inout StoredFieldsWriter) -> Void) {
            var fields = StoredFieldsWriter()
            write(&fields)
            bytes.append(kind.rawValue)
            bytes.append(field: fields.bytes)
        }
        if let device { add(.device, device.write) }
        if let attestationKeyUse { add(.attestationKeyUse) { $0.add(Int64(attestationKeyUse.lastDay)) } }
        if revocation != .notConsulted { add(.revocation, revocation.write) }
        if let outsideAnswer { add(.outsideAnswer, outsideAnswer.write) }
        if let certificate { add(.certificate, certificate.write) }
        if let submissions { add(.submissions) { $0.add(submissions) } }
        if !opinions.isEmpty {
            add(.opinions) { fields in
                for opinion in opinions {
                    fields.add(opinion.plugin)
                    fields.nest(opinion.answer.write)
                }
            }
        }
        return bytes
    }

    /// `nil` if `encoded()` of this version did not make the bytes.
    public init?(decoding bytes: [UInt8]) {
        self.init()
        var rest = bytes[...]
        guard rest.popFirst() == Self.version else { return nil }
        var last: UInt8 = 0
        while let number = rest.popFirst() {
            guard number > last, let kind = Kind(rawValue: number), let field = rest.takeField() else { return nil }
            last = number
            var fields = StoredFieldsReader(field)
            switch kind {
            case .device:
                guard let device = Device(&fields) else { return nil }
                self.device = device
            case .attestationKeyUse:
                guard let lastDay = fields.number().flatMap({ Int(exactly: $0) }) else { return nil }
                attestationKeyUse = AttestationKeyUse(lastDay: lastDay)
            case .revocation:
                guard let revocation = RevocationKnowledge(&fields) else { return nil }
                self.revocation = revocation
            case .outsideAnswer:
                guard let answer = OutsideAnswer(&fields) else { return nil }
                outsideAnswer = answer
            case .certificate:
                guard let certificate = DeviceCertificate(&fields) else { return nil }
                self.certificate = certificate
            case .submissions:
                guard let submissions = fields.number() else { return nil }
                self.submissions = submissions
            case .opinions:
                guard let opinions = Self.opinions(&fields) else { return nil }
                self.opinions = opinions
            }
            guard fields.isAtEnd else { return nil }
        }
    }
}

extension Facts {
    private static func opinions(_ fields: inout StoredFieldsReader) -> [Opinion]? {
        var opinions: [Opinion] = []
        while !fields.isAtEnd {
            guard let plugin = fields.text(), var nested = fields.nested(), let answer = OutsideAnswer(&nested), nested.isAtEnd
            else { return nil }
            opinions.append(Opinion(plugin: plugin, answer: answer))
        }
        return opinions
    }
}

extension Device {
    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        fields.add(id.bytes)
        fields.add(app.text)
        fields.add(subject ?? [])
        fields.nest(registration.write)
        fields.add(registeredAt)
        fields.nest { blocks in
            for block in self.blocks {
                blocks.add([block.kind.rawValue])
                blocks.add(block.reason)
                blocks.add(block.since)
            }
        }
        fields.add(Int64(counter))
        fields.add(Int64(bitPattern: counterWindow))
        fields.add(lastAcceptedAt)
        fields.add(optional: exchange.due?.unixMilliseconds)
        fields.add(Int64(exchange.failures))
        fields.add(exchange.end?.rawValue ?? "")
        fields.add(optional: exchange.metric?.value)
        fields.add(optional: exchange.metric?.at.unixMilliseconds)
        // Left out where there is none, as in facts from before there were flags.
        if !flags.isEmpty { fields.add(flags.encoded()) }
    }

    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let id = fields.bytes().flatMap(DeviceID.init(bytes:)), let app = fields.text().flatMap(AppID.init),
            let subject = fields.bytes(), var registered = fields.nested(),
            let registration = Registration(stored: &registered), registered.isAtEnd, let registeredAt = fields.time(),
            var stored = fields.nested(), let blocks = Self.blocks(&stored),
            let counter = fields.number().flatMap({ UInt32(exactly: $0) }), let window = fields.number(),
            let lastAcceptedAt = fields.time(), let exchange = ReceiptExchange(&fields),
            let flags = fields.isAtEnd ? [] : fields.bytes().flatMap({ [DeviceFlag](decoding: $0) })
        else { return nil }
        self.init(
            id: id, app: app, subject: subject.isEmpty ? nil : subject, registration: registration,
            registeredAt: registeredAt, blocks: blocks, counter: counter, counterWindow: UInt64(bitPattern: window),
            lastAcceptedAt: lastAcceptedAt, exchange: exchange, flags: flags)
    }

    private static func blocks(_ fields: inout StoredFieldsReader) -> [Block]? {
        var blocks: [Block] = []
        while !fields.isAtEnd {
            guard let kind = fields.bytes(), kind.count == 1, let kind = kind.first.flatMap(BlockKind.init(rawValue:)),
                let reason = fields.text(), let since = fields.time()
            else { return nil }
            blocks.append(Block(kind, reason: reason, since: since))
        }
        return blocks
    }
}

extension ReceiptExchange {
    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let due = fields.optionalNumber(), let failures = fields.number().flatMap({ UInt32(exactly: $0) }),
            let endText = fields.text(), let metric = fields.optionalNumber(), let metricTime = fields.optionalNumber()
        else { return nil }
        let end = End(rawValue: endText)
        guard end != nil || endText.isEmpty, (metric == nil) == (metricTime == nil) else { return nil }
        self.init(due: due.map { Timestamp(unixMilliseconds: $0) }, failures: failures, end: end)
        if let metric, let metricTime { self.metric = RiskMetric(metric, at: Timestamp(unixMilliseconds: metricTime)) }
    }
}

extension Registration {
    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        fields.add(format.rawValue)
        fields.add(keyID)
        fields.add(publicKey)
        fields.add(environment)
        fields.add(anchor)
        fields.add(claims.encoded())
        fields.add(chainSerials)
        fields.add(attestationKey)
        fields.add(receipt)
        fields.add([(simulated ? 1 : 0) | (imported ? 2 : 0)] as [UInt8])
    }

    fileprivate convenience init?(stored fields: inout StoredFieldsReader) {
        guard let format = fields.text(), let keyID = fields.bytes(), let publicKey = fields.bytes(),
            let environment = fields.text(), let anchor = fields.bytes(),
            let claims = fields.bytes().flatMap(Claims.init(decoding:)), let serials = fields.list(),
            let attestationKey = fields.bytes(), let receipt = fields.bytes(), let flags = fields.bytes(),
            flags.count == 1, let flags = flags.first, flags <= 3
        else { return nil }
        self.init(
            format: EvidenceFormat(rawValue: format), keyID: keyID, publicKey: publicKey, environment: environment,
            anchor: anchor, claims: claims, chainSerials: serials, attestationKey: attestationKey, receipt: receipt,
            simulated: flags & 1 != 0, imported: flags & 2 != 0)
    }
}

extension RevocationKnowledge {
    private enum Kind: UInt8 { case notConsulted, snapshot, unavailable }

    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        switch self {
        case .notConsulted: fields.add([Kind.notConsulted.rawValue])
        case .unavailable(let why):
            fields.add([Kind.unavailable.rawValue])
            fields.add(why)
        case .snapshot(let list):
            fields.add([Kind.snapshot.rawValue])
            fields.add(list.feed.name)
            fields.add(list.feed.id)
            fields.add(list.feed.asOf)
            fields.add(Int64(list.oddEntries.unreadable))
            fields.add(Int64(list.oddEntries.unknownStatus))
            fields.add(list.oddEntries.example)
            for (serial, entry) in list.inOrder {
                fields.add(serial)
                fields.add(entry.status.text)
                fields.add(entry.reason)
            }
        }
    }

    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let kind = fields.bytes(), kind.count == 1 else { return nil }
        switch kind.first.flatMap(Kind.init(rawValue:)) {
        case nil: return nil
        case .notConsulted: self = .notConsulted
        case .unavailable:
            guard let why = fields.text() else { return nil }
            self = .unavailable(why)
        case .snapshot:
            guard let name = fields.text(), let id = fields.text(), let asOf = fields.time(),
                let unreadable = fields.number().flatMap({ Int(exactly: $0) }),
                let unknown = fields.number().flatMap({ Int(exactly: $0) }), let example = fields.text()
            else { return nil }
            var entries: [[UInt8]: RevocationSnapshot.Entry] = [:]
            while !fields.isAtEnd {
                guard let serial = fields.bytes(), let status = fields.text(), let reason = fields.text() else { return nil }
                entries[serial] = .init(RevocationSnapshot.Status(text: status), reason: reason)
            }
            self = .snapshot(
                RevocationSnapshot(
                    feed: FeedVersion(name: name, id: id, asOf: asOf), entries: entries,
                    oddEntries: .init(unreadable: unreadable, unknownStatus: unknown, example: example)))
        }
    }
}

extension OutsideAnswer {
    private enum Kind: UInt8 { case answered = 1, stated, refused, unavailable }

    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        switch self {
        case .answered(let bytes):
            fields.add([Kind.answered.rawValue])
            fields.add(bytes)
        case .stated(let claims):
            fields.add([Kind.stated.rawValue])
            fields.add(claims.encoded())
        case .refused(let rejection):
            fields.add([Kind.refused.rawValue])
            fields.add(rejection.code.rawValue)
            fields.add(rejection.detail)
            fields.add(rejection.retry.rawValue)
        case .unavailable(let why):
            fields.add([Kind.unavailable.rawValue])
            fields.add(why)
        }
    }

    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let kind = fields.bytes(), kind.count == 1 else { return nil }
        switch kind.first.flatMap(Kind.init(rawValue:)) {
        case nil: return nil
        case .answered:
            guard let bytes = fields.bytes() else { return nil }
            self = .answered(bytes)
        case .stated:
            guard let claims = fields.bytes().flatMap(Claims.init(decoding:)) else { return nil }
            self = .stated(claims)
        case .refused:
            guard let code = fields.text().flatMap(FailureCode.init(rawValue:)), let detail = fields.text(),
                let retry = fields.text().flatMap(RetryClass.init(rawValue:))
            else { return nil }
            self = .refused(Rejection(code, detail, retry: retry))
        case .unavailable:
            guard let why = fields.text() else { return nil }
            self = .unavailable(why)
        }
    }
}

extension DeviceCertificate {
    fileprivate func write(_ fields: inout StoredFieldsWriter) {
        fields.add(name.issuer)
        fields.add(name.serial)
        fields.add(app.text)
        fields.add(device.bytes)
        fields.add(keyID)
        fields.add(notBefore)
        fields.add(notAfter)
        fields.add(issuedAt)
        fields.add([basis.assurance.rawValue, basis.protection.rawValue, basis.simulated ? 1 : 0])
        fields.add(basis.platform.rawValue)
        fields.add(basis.policyDigest)
        fields.add(der)
        fields.add(revocation.map { [$0.reason.rawValue] } ?? [])
        fields.add(optional: revocation?.time.unixMilliseconds)
        // Left out otherwise, as in facts that were stored before there was this field.
        guard let renewedFrom else { return }
        fields.add(renewedFrom.issuer)
        fields.add(renewedFrom.serial)
    }

    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let issuer = fields.bytes(), let serial = fields.bytes(), let app = fields.text().flatMap(AppID.init),
            let device = fields.bytes().flatMap(DeviceID.init(bytes:)), let keyID = fields.bytes(),
            let notBefore = fields.time(), let notAfter = fields.time(), let issuedAt = fields.time(),
            let levels = fields.bytes(), levels.count == 3, let assurance = Assurance(rawValue: levels[0]),
            let protection = KeyProtection(rawValue: levels[1]), levels[2] <= 1, let platform = fields.text(),
            let policyDigest = fields.bytes(), let der = fields.bytes(), let reason = fields.bytes(), reason.count <= 1,
            let revokedAt = fields.optionalNumber(), reason.isEmpty == (revokedAt == nil)
        else { return nil }
        var revocation: CertificateRevocation?
        if let number = reason.first, let revokedAt {
            guard let reason = RevocationReason(rawValue: number) else { return nil }
            revocation = CertificateRevocation(reason, at: Timestamp(unixMilliseconds: revokedAt))
        }
        var renewedFrom: CertificateName?
        if !fields.isAtEnd {
            guard let issuer = fields.bytes(), let serial = fields.bytes() else { return nil }
            renewedFrom = CertificateName(issuer: issuer, serial: serial)
        }
        self.init(
            name: CertificateName(issuer: issuer, serial: serial), app: app, device: device, keyID: keyID,
            notBefore: notBefore, notAfter: notAfter, issuedAt: issuedAt,
            basis: CertificateBasis(
                assurance: assurance, protection: protection, platform: EvidenceFormat(rawValue: platform),
                policyDigest: policyDigest, simulated: levels[2] == 1),
            der: der, renewedFrom: renewedFrom, revocation: revocation)
    }
}
