import AssayCore
import Testing

@Suite("Stored facts")
struct FactsTests {
    private static let time = Timestamp(unixMilliseconds: 1_800_000_000_123)

    private static func device(_ change: (inout Device) -> Void = { _ in }) throws -> Device {
        let registration = Registration(
            format: EvidenceFormat(rawValue: "example"), keyID: [1, 2], publicKey: [3], environment: "production", anchor: [4],
            claims: Claims([
                .init(name: "text", value: .text("ä")), .init(name: "number", value: .integer(-5)),
                .init(name: "list", value: .texts(["", "b"])), .init(name: "time", value: .time(time)),
            ]), chainSerials: [[1], [], [0xFF, 0]], attestationKey: [5], receipt: [6, 7], simulated: true, imported: true)
        var device = Device(
            id: try #require(DeviceID(bytes: [UInt8](repeating: 9, count: 16))), app: try #require(AppID("camera")),
            subject: [UInt8](repeating: 8, count: 32), registration: registration, registeredAt: time,
            blocks: [.init(.device, reason: "stolen", since: time), .init(.key, reason: "", since: time)],
            counter: .max, counterWindow: .max, lastAcceptedAt: time.adding(milliseconds: -1),
            exchange: ReceiptExchange(due: time, failures: 3, end: .refused, metric: RiskMetric(7, at: time)))
        change(&device)
        return device
    }

    private static func list(_ serials: [[UInt8]]) -> RevocationKnowledge {
        .snapshot(
            RevocationSnapshot(
                feed: FeedVersion(name: "list", id: "1f", asOf: time),
                entries: Dictionary(
                    serials.map { ($0, .init(.other("LOST"), reason: "a reason")) }, uniquingKeysWith: { first, _ in first }),
                oddEntries: .init(unreadable: 1, unknownStatus: 2, example: "0x1")))
    }

    private static func certificate(
        _ revocation: CertificateRevocation? = nil, renewedFrom: CertificateName? = nil
    ) throws -> DeviceCertificate {
        DeviceCertificate(
            name: CertificateName(issuer: [1, 2], serial: [0x7F, 0]), app: try #require(AppID("camera")),
            device: try #require(DeviceID(bytes: [UInt8](repeating: 9, count: 16))), keyID: [3], notBefore: time,
            notAfter: .distantFuture, issuedAt: time.adding(milliseconds: 1),
            basis: CertificateBasis(
                assurance: .secureElement, protection: .generated, platform: EvidenceFormat(rawValue: "example"),
                policyDigest: [4, 5], simulated: revocation == nil),
            der: revocation == nil ? [6, 7] : [], renewedFrom: renewedFrom, revocation: revocation)
    }

    private static func samples() throws -> [Facts] {
        let claims = Claims([.init(name: "bit0", value: .boolean(true)), .init(name: "raw", value: .bytes([0, 1]))])
        return [
            Facts(), Facts(device: try device()),
            Facts(
                device: try device { device in
                    device.blocks = []
                    device.exchange = ReceiptExchange(due: nil)
                }),
            Facts(attestationKeyUse: AttestationKeyUse(lastDay: 7)), Facts(revocation: list([[1], [0xAB, 0xCD]])),
            Facts(revocation: list([])), Facts(revocation: .unavailable("too old")),
            Facts(outsideAnswer: .answered([1, 2, 3])), Facts(outsideAnswer: .answered([])),
            Facts(outsideAnswer: .stated(claims)), Facts(outsideAnswer: .unavailable("asleep")),
            Facts(outsideAnswer: .refused(Rejection(.vendorRefused, "no"))),
            Facts(opinions: [
                Opinion(plugin: "kiosk", answer: .answered([1])), Opinion(plugin: "", answer: .unavailable("down")),
                Opinion(plugin: "second", answer: .refused(Rejection(.pluginQuarantined, "kept aside"))),
            ]),
            Facts(certificate: try certificate()), Facts(certificate: try certificate(.init(.aACompromise, at: .distantPast))),
            Facts(certificate: try certificate(renewedFrom: CertificateName(issuer: [8], serial: [9, 10]))),
            Facts(submissions: 0), Facts(submissions: .max),
            Facts(
                device: try device(), attestationKeyUse: AttestationKeyUse(lastDay: 0), revocation: list([[2]]),
                outsideAnswer: .stated(Claims()), certificate: try certificate(.init(.unspecified, at: time)),
                submissions: 8000),
        ]
    }

    @Test("Facts are read back as they were stored")
    func roundTrip() throws {
        for facts in try Self.samples() {
            let stored = facts.encoded()
            let read = try #require(Facts(decoding: stored))
            #expect(read == facts)
            #expect(read.encoded() == stored)
        }
        #expect(Set(try Self.samples().map { $0.encoded() }).count == (try Self.samples().count))
    }

    @Test("A stored refusal keeps its code, its sentence and its retry class")
    func refusal() throws {
        let code = try #require(FailureCode(rawValue: "plugin/no_such_meter"))
        let facts = Facts(outsideAnswer: .refused(Rejection(code, "a sentence", retry: .later)))
        guard case .refused(let rejection)? = Facts(decoding: facts.encoded())?.outsideAnswer else {
            Issue.record("not a refusal")
            return
        }
        #expect(rejection.code == code && rejection.detail == "a sentence" && rejection.retry == .later)
    }

    @Test("Bytes that are cut, longer, of another version or with an unknown fact are not read as facts")
    func malformed() throws {
        let facts = try #require(try Self.samples().last)
        let stored = facts.encoded()
        // Without its last facts the encoding is shorter and valid.
        let shorter = Set(
            [
                Facts(), Facts(device: facts.device), Facts(device: facts.device, attestationKeyUse: facts.attestationKeyUse),
                Facts(device: facts.device, attestationKeyUse: facts.attestationKeyUse, revocation: facts.revocation),
                Facts(
                    device: facts.device, attestationKeyUse: facts.attestationKeyUse, revocation: facts.revocation,
                    outsideAnswer: facts.outsideAnswer),
                Facts(
                    device: facts.device, attestationKeyUse: facts.attestationKeyUse, revocation: facts.revocation,
                    outsideAnswer: facts.outsideAnswer, certificate: facts.certificate),
            ].map { $0.encoded() })
        for length in stored.indices where !shorter.contains(Array(stored.prefix(length))) {
            #expect(Facts(decoding: Array(stored.prefix(length))) == nil, "\(length) bytes")
        }
        #expect(Facts(decoding: stored + [0]) == nil)
        #expect(Facts(decoding: [2] + stored.dropFirst()) == nil, "another version")
        #expect(Facts(decoding: [1, 5, 0, 0, 0, 0]) == nil, "a certificate without fields")
        #expect(Facts(decoding: [1, 8, 0, 0, 0, 0]) == nil, "a fact of a later version")
        #expect(Facts(decoding: [1, 1, 0xFF, 0xFF, 0xFF, 0xFF]) == nil, "a length beyond the bytes")
        let twice = Facts(attestationKeyUse: AttestationKeyUse(lastDay: 1)).encoded()
        #expect(Facts(decoding: twice + twice.dropFirst()) == nil, "a fact that occurs twice")
    }

    @Test("A stored certificate whose levels, reason or flag do not exist is not read")
    func badCertificate() throws {
        let stored = Facts(certificate: try Self.certificate(.init(.superseded, at: Self.time))).encoded()
        // Assurance, protection and flag behind their length.
        let levels = try #require(stored.firstRange(of: [0, 0, 0, 3, Assurance.secureElement.rawValue, 4, 0])).lowerBound + 4
        let reason = try #require(stored.firstRange(of: [0, 0, 0, 1, RevocationReason.superseded.rawValue])).lowerBound + 4
        for (offset, value) in [(levels, 99), (levels + 1, 0), (levels + 1, 5), (levels + 2, 2), (reason, 6)] as [(Int, UInt8)]
        {
            var changed = stored
            changed[offset] = value
            #expect(Facts(decoding: changed) == nil, "byte \(offset)")
        }
        #expect(Facts(decoding: stored) != nil)
    }

    @Test("A list that is kept for some serial numbers has their entries, its version, and no other entry")
    func narrowed() throws {
        let facts = Facts(revocation: Self.list([[1], [2], [3]])).keepingEntries(for: [[2], [0, 3], [9]])
        guard case .snapshot(let kept) = facts.revocation, case .snapshot(let whole) = Self.list([[1], [2], [3]]) else {
            Issue.record("not a list")
            return
        }
        #expect(kept.feed == whole.feed && kept.oddEntries == whole.oddEntries && kept.count == 2)
        #expect(kept[[2]] == whole[[2]] && kept[[3]] == whole[[3]] && kept[[1]] == nil)
        #expect(Facts(revocation: .unavailable("x")).keepingEntries(for: [[1]]) == Facts(revocation: .unavailable("x")))
    }
}
