import Testing

@testable import AssayCore

@Suite("Verdict record")
struct VerdictRecordTests {
    private func record(
        _ findings: [Finding] = [.pass("challenge")], caller: String = "uploads", sentence: String = "a sentence",
        decision: VerdictRecord.Decision = .rejected
    ) throws -> VerdictRecord {
        VerdictRecord(
            VerdictRecord.Request(
                id: [UInt8](1...16), time: Timestamp(unixMilliseconds: 1_750_000_000_123), caller: caller,
                app: try #require(AppID("camera")), purpose: .register, formats: [.keyAttestation, .playIntegrity],
                subject: [UInt8](repeating: 1, count: 32), evidenceDigest: [UInt8](repeating: 2, count: 32),
                binding: .embedded, payloadDigest: [UInt8](repeating: 3, count: 32)),
            decision,
            reason: decision == .accepted
                ? nil : VerdictRecord.Reason(code: "vendor/own", check: "own", sentence: sentence, retry: .newChallenge),
            assurance: .hardware, device: DeviceID(bytes: [UInt8](repeating: 4, count: 16)), findings: findings,
            policyDigest: [UInt8](repeating: 5, count: 32),
            feeds: [FeedVersion(name: "list", id: "00", asOf: Timestamp(unixMilliseconds: 7))], simulated: true, standsFor: 100)
    }

    private static let findings: [Finding] = [
        .pass("challenge"), .note("registry", "subject_not_registered", "a note"),
        .fail("nonce", Rejection(.nonceMismatch, "expected 00…, found 01…")),
        .fail("own", Rejection(FailureCode(rawValue: "vendor/own") ?? .malformed, "ä € 𝄞", retry: .later)),
        Finding(check: "counter", outcome: .skipped), Finding(check: "list", outcome: .unavailable, code: "c", detail: "d"),
    ]

    @Test("A record is decoded as it was encoded", arguments: VerdictRecord.Decision.allCases)
    func coding(_ decision: VerdictRecord.Decision) throws {
        let record = try record(Self.findings, decision: decision)
        #expect(VerdictRecord(decoding: record.encoded()) == record)
        #expect(!record.isTruncated)
    }

    @Test("A record keeps codes of another system, and one without them has the form of earlier releases")
    func vendorCodes() throws {
        var findings = Self.findings
        let plain = try record(findings).encoded()
        findings[3].vendorCode = "E-1102"
        let record = try record(findings)
        let encoded = record.encoded()
        #expect(VerdictRecord(decoding: encoded) == record)
        #expect(VerdictRecord(decoding: encoded)?.findings.map(\.vendorCode) == ["", "", "", "E-1102", "", ""])
        // The version is the first field, 8 bytes behind a length of 4.
        #expect(plain[11] == 1 && encoded[11] == 2)
        for count in 0..<encoded.count { #expect(VerdictRecord(decoding: Array(encoded.prefix(count))) == nil) }
    }

    @Test("A record keeps what the evidence says of the device, and that a rejection was not enforced")
    func traits() throws {
        let plain = try record()
        let traits = DeviceTraits(platform: .android, model: "Pixel 9", osVersion: "160000", appVersion: "12")
        for (wouldReject, traits) in [(true, traits), (false, traits), (true, DeviceTraits())] {
            let record = VerdictRecord(
                plain.request, .rejected, reason: plain.reason, findings: plain.findings, policyDigest: plain.policyDigest,
                wouldReject: wouldReject, traits: traits)
            let encoded = record.encoded()
            #expect(encoded[11] == 3 && VerdictRecord(decoding: encoded) == record)
            #expect(record.wouldReject == wouldReject && record.traits == traits)
            for count in 0..<encoded.count { #expect(VerdictRecord(decoding: Array(encoded.prefix(count))) == nil) }
            #expect(VerdictRecord(decoding: encoded + [0]) == nil)
        }
    }

    @Test("Traits are read from the claims that platforms make, and cut to their limit")
    func claims() {
        let android = Claims([
            .init(name: "hardware_enforced.model", value: .bytes(Array("Pixel 9".utf8))),
            .init(name: "hardware_enforced.os_version", value: .integer(160_000)),
            .init(name: "software_enforced.attestation_application_id.packages.version", value: .texts(["12", "13"])),
        ])
        #expect(
            DeviceTraits([android], platform: .android)
                == DeviceTraits(platform: .android, model: "Pixel 9", osVersion: "160000", appVersion: "12"))
        let phone = Claims([
            .init(name: "platform", value: .text("ios")),
            .init(name: "app-attest.attestation/os_version", value: .text("27.1")),
            .init(name: "model", value: .text(String(repeating: "€", count: 40))),
        ])
        let traits = DeviceTraits([Claims(), phone, android])
        #expect(traits.platform == .iOS && traits.osVersion == "27.1" && traits.appVersion == "12")
        #expect(traits.model == String(repeating: "€", count: 21))
        #expect(DeviceTraits([Claims()]).isEmpty)
    }

    @Test("No strict prefix of a record, and no longer text, is decoded")
    func prefixes() throws {
        let bytes = try record(Self.findings).encoded()
        for count in 0..<bytes.count { #expect(VerdictRecord(decoding: Array(bytes.prefix(count))) == nil, "\(count) bytes") }
        #expect(VerdictRecord(decoding: bytes + [0]) == nil)
    }

    @Test("Changed bytes are decoded to another record or to none, and never trap")
    func mutations() throws {
        let bytes = try record(Self.findings).encoded()
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                _ = VerdictRecord(decoding: changed)
            }
        }
    }

    @Test("A record is cut to its limits, between characters, and says so")
    func limits() throws {
        let long = String(repeating: "€", count: 1000)
        let findings = (0..<200).map { Finding(check: "check \($0)" + long, outcome: .fail, code: long, detail: long) }
        let record = try record(findings, caller: long, sentence: long)
        #expect(record.isTruncated)
        #expect(record.findings.count == RecordLimits.findings)
        #expect(record.request.caller.utf8.count == RecordLimits.name / 3 * 3)
        #expect(record.reason?.sentence == String(repeating: "€", count: RecordLimits.sentence / 3))
        let sentences = record.findings.reduce(0) { $0 + $1.detail.utf8.count }
        #expect(sentences <= RecordLimits.sentences && sentences > RecordLimits.sentences / 2)
        #expect(
            record.findings.allSatisfy { $0.check.utf8.count <= RecordLimits.name && $0.code.utf8.count <= RecordLimits.name })
        #expect(record.encoded().count < 64 << 10)
        #expect(VerdictRecord(decoding: record.encoded()) == record)
    }

    @Test("A sentence within the limit stays whole, and the next longer one is cut")
    func edge() throws {
        let whole = try record([
            Finding(check: "a", outcome: .note, detail: String(repeating: "x", count: RecordLimits.sentence))
        ])
        #expect(!whole.isTruncated)
        let cut = try record([
            Finding(check: "a", outcome: .note, detail: String(repeating: "x", count: RecordLimits.sentence + 1))
        ])
        #expect(cut.isTruncated && cut.findings == whole.findings)
    }

    @Test("Text from evidence is shown on one line, or by its length")
    func shown() {
        #expect("com.example.app".shown == "\"com.example.app\"")
        for odd in ["a b", "a\nb", "a\"b", "é"] {
            #expect(odd.shown == "a text of \(odd.utf8.count) bytes with other characters than visible ASCII")
        }
        #expect("".shown == "an empty text")
        let (long, other) = (String(repeating: "a", count: 65), String(repeating: "a", count: 64) + "b")
        #expect(long.shown != other.shown && long.shown.hasSuffix("(65 bytes)"))
        #expect(["b", "a"].shown == "\"b\", \"a\"" && [String]().shown == "none")
        #expect((0..<7).map { "\($0)" }.shown.hasSuffix("\"3\" and 3 more"))
        #expect([[UInt8](repeating: 0xAB, count: 32), [1]].shownShort == "01, abababababababab…")
    }
}
