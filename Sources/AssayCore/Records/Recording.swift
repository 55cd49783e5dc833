/// What a verdict went by, kept so that another policy can judge it again: the verdict's record, and of each piece of evidence the claims and the
/// facts that were fetched for it.
///
/// It holds no evidence, challenge, token, receipt or subject.
package struct Recording: Hashable, Sendable {
    /// One piece of evidence.
    package struct Piece: Hashable, Sendable {
        package let format: EvidenceFormat
        /// The claims of the evidence. Those of a registration are the device's.
        package let claims: Claims
        /// The device, how often its attestation key was used, and the entries of the revocation list for its certificates; nothing else.
        package let facts: Facts
        /// Whether the device is the one that the evidence registers, and not one that was on record before.
        package let registers: Bool

        package init(format: EvidenceFormat, claims: Claims, facts: Facts, registers: Bool) {
            (self.format, self.claims, self.facts, self.registers) = (format, claims, facts, registers)
        }
    }

    /// Without a subject.
    package let record: VerdictRecord
    /// Empty for a request that was refused before its evidence was appraised.
    package let pieces: [Piece]
    /// Whether the policy decided. False for a rejection by what no policy states, such as a challenge that was used before.
    package let isPolicyDecision: Bool

    package init(record: VerdictRecord, pieces: [Piece], isPolicyDecision: Bool) {
        (self.record, self.pieces, self.isPolicyDecision) = (record, pieces, isPolicyDecision)
    }
}

/// The stored form: a version, then fields behind their lengths (`StoredFieldsWriter`). It may change with a release: recordings of another form
/// cannot be judged again. Beside the daemon's own file only `assay policy replay` of the same version reads it.
extension Recording {
    private static let version: Int64 = 1

    package func encoded() -> [UInt8] {
        var writer = StoredFieldsWriter()
        writer.add(Self.version)
        writer.add(record.encoded())
        writer.add([isPolicyDecision ? 1 : 0])
        for piece in pieces {
            writer.nest { fields in
                fields.add(piece.format.rawValue)
                // Stored once: a registered device has the claims of its evidence.
                fields.add(piece.registers ? [] : piece.claims.encoded())
                fields.add(piece.facts.encoded())
                fields.add([piece.registers ? 1 : 0])
            }
        }
        return writer.bytes
    }

    /// `nil` for bytes that `encoded()` of this version did not make.
    package init?(decoding bytes: [UInt8]) {
        var reader = StoredFieldsReader(bytes)
        guard reader.number() == Self.version, let record = reader.bytes().flatMap(VerdictRecord.init(decoding:)),
            let decided = reader.bytes(), decided == [0] || decided == [1]
        else { return nil }
        var pieces: [Piece] = []
        while !reader.isAtEnd {
            guard pieces.count < VerificationRequest.evidenceLimit, var fields = reader.nested(),
                let piece = Piece(&fields), fields.isAtEnd
            else { return nil }
            pieces.append(piece)
        }
        self.init(record: record, pieces: pieces, isPolicyDecision: decided == [1])
    }
}

extension Recording.Piece {
    fileprivate init?(_ fields: inout StoredFieldsReader) {
        guard let format = fields.text(), let claims = fields.bytes().flatMap(Claims.init(decoding:)),
            let facts = fields.bytes().flatMap(Facts.init(decoding:)), let registers = fields.bytes(),
            registers == [0] || registers == [1]
        else { return nil }
        let isNew = registers == [1]
        self.init(
            format: EvidenceFormat(rawValue: format),
            claims: isNew ? facts.device?.registration.claims ?? Claims() : claims, facts: facts, registers: isNew)
    }
}

extension Facts {
    /// What a recording keeps: nothing that a device or a vendor made as evidence, and of the revocation list what the device's chain needs.
    package var recorded: Facts {
        let kept = Facts(
            device: device?.recorded, attestationKeyUse: attestationKeyUse, revocation: revocation,
            submissions: submissions)
        return kept.keepingEntries(for: device?.registration.chainSerials ?? [])
    }
}

extension Device {
    /// The claim of an attested key that is the challenge itself.
    private static let challengeClaim = "challenge"

    /// The same device without its receipt, the challenge that its evidence answered, its subject, its blocks and the details of its flags.
    package var recorded: Device { recorded(subject: nil, blocks: []) }

    /// The same device without its receipt, the challenge that its evidence answered and the details of its flags.
    func recorded(subject: [UInt8]?, blocks: [Block]) -> Device {
        let full = registration
        let claims = Claims(full.claims.all.filter { $0.name != Self.challengeClaim })
        return Device(
            id: id, app: app, subject: subject,
            registration: Registration(
                format: full.format, keyID: full.keyID, publicKey: full.publicKey, environment: full.environment,
                anchor: full.anchor, claims: claims, chainSerials: full.chainSerials, attestationKey: full.attestationKey,
                receipt: [], simulated: full.simulated, imported: full.imported), registeredAt: registeredAt,
            blocks: blocks, counter: counter, counterWindow: counterWindow, lastAcceptedAt: lastAcceptedAt, exchange: exchange,
            flags: flags.map { DeviceFlag(name: $0.name, setter: $0.setter, detail: "", since: $0.since, until: $0.until) })
    }
}
