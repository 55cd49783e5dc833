import AssayCore
import Testing

@Suite("Verdicts that are kept for look-ups")
struct FoundVerdictTests {
    private static let plain = FoundVerdict(
        requestID: [UInt8](repeating: 7, count: 16), decidedAt: Timestamp(unixMilliseconds: 1_800_000_000_123),
        purpose: .assert,
        assurance: .secureElement, formats: [.appAttestAssertion], platform: nil, match: .payload, simulated: false, limits: [],
        capture: nil)

    private static func full() -> FoundVerdict {
        var verdict = plain
        (verdict.purpose, verdict.assurance, verdict.platform) = (.register, .hardware, .android)
        (verdict.match, verdict.simulated, verdict.limits) = (.media, true, VerdictLimit.allCases)
        verdict.formats = [.keyAttestation, .playIntegrity]
        verdict.capture = FoundVerdict.Capture(
            level: .mediumHigh, score: Score(millionths: 712_345), model: Array(#"{"version":1}"#.utf8))
        return verdict
    }

    private static func verdicts() -> [FoundVerdict] {
        var scoreless = full()
        scoreless.capture = FoundVerdict.Capture(level: .rejected, score: nil, model: [])
        return [plain, full(), scoreless]
            + DevicePlatform.allCases.map { platform in
                var verdict = plain
                verdict.platform = platform
                return verdict
            }
            + FoundVerdict.Match.allCases.map { match in
                var verdict = plain
                verdict.match = match
                return verdict
            }
    }

    @Test("What is written is what is read")
    func roundTrip() throws {
        for verdict in Self.verdicts() { #expect(FoundVerdict(decoding: verdict.encoded()) == verdict) }
    }

    @Test("No strict prefix of a verdict is one, nor a verdict with bytes behind it")
    func cut() throws {
        let bytes = Self.full().encoded()
        for length in bytes.indices { #expect(FoundVerdict(decoding: Array(bytes.prefix(length))) == nil, "\(length) bytes") }
        #expect(FoundVerdict(decoding: bytes + [0]) == nil)
    }

    @Test("A verdict of another version, or with a value that is not known, is not read")
    func unknown() throws {
        let bytes = Self.plain.encoded()
        // The version's last byte; then the head: purpose, assurance, match, platform, simulated, level.
        for (place, value) in [(11, 2), (16, 0), (17, 9), (18, 4), (19, 3), (20, 2), (21, 9)] as [(Int, UInt8)] {
            var changed = bytes
            changed[place] = value
            #expect(FoundVerdict(decoding: changed) == nil, "byte \(place) is \(value)")
        }
        var limited = Self.plain
        limited.limits = [.relay]
        let known = limited.encoded()
        let text = Array(VerdictLimit.relay.rawValue.utf8)
        let start = try #require(known.indices.first { known[$0...].starts(with: text) })
        var other = known
        other[start] = UInt8(ascii: "R")
        #expect(
            FoundVerdict(decoding: known) != nil && FoundVerdict(decoding: other) == nil, "what it does not say must be known")
    }

    @Test("The largest evidence model is kept whole, and the largest content fits into the index with its seal")
    func bounds() throws {
        let media = (0..<16).map { #"{"sha256":"\#(Hex.encode([UInt8](repeating: UInt8($0), count: 32)))"}"# }
        let signals = (0..<32).map { number in
            let name =
                ["lidar", "moire", "texture", "supporting"].indices.contains(number)
                ? ["lidar", "moire", "texture", "supporting"][number] : "s\(number)".padding("x", to: 32)
            return number < 4 ? #""\#(name)":{"score":0.123456}"# : #""\#(name)":{"outcome":"unavailable"}"#
        }
        let text = #"{"version":1,"media":[\#(media.joined(separator: ","))],"signals":{\#(signals.joined(separator: ","))}}"#
        let document = try SignalDocument(parsing: Array(text.utf8))
        let confidence = ConfidenceRule(profile: .weighted).assess(
            SceneAnalysis(counted: document, digest: [UInt8](repeating: 1, count: 32)), platform: .iOS,
            HardwareAttestation(.secureElement, platform: .iOS, simulated: true))
        let model = EvidenceModel(confidence).json
        #expect(FoundVerdict.Capture(confidence).model == model && model.count > 3900, "\(model.count) bytes")

        var largest = Self.full()
        largest.formats = (0..<VerificationRequest.evidenceLimit).map {
            EvidenceFormat(rawValue: "\($0)".padding("f", to: 64))
        }
        largest.capture = FoundVerdict.Capture(
            level: .high, score: .one, model: [UInt8](repeating: 0x20, count: FoundVerdict.Capture.modelLimit))
        #expect(largest.encoded().count + 28 <= IndexedVerdict.contentLimit)
        let longer = FoundVerdict.Capture(
            level: .high, score: .one, model: [UInt8](repeating: 0x20, count: FoundVerdict.Capture.modelLimit + 1))
        #expect(longer.model.isEmpty && longer.level == .high, "a longer model is left out, and the level stays")
    }

    @Test("Each level has a note of its own, that of a test device comes first, and no two notes say the same")
    func notes() throws {
        func note(_ change: (inout FoundVerdict) -> Void) -> LookupNote {
            var verdict = Self.plain
            change(&verdict)
            return LookupNote(verdict)
        }
        let byLevel = ConfidenceLevel.allCases.map { level in
            note { $0.capture = FoundVerdict.Capture(level: level, score: nil, model: []) }
        }
        let byAssurance = [Assurance.software, .platform, .hardware, .secureElement].map { assurance in
            note { $0.assurance = assurance }
        }
        let test = note { verdict in
            verdict.simulated = true
            verdict.capture = FoundVerdict.Capture(level: .high, score: nil, model: [])
        }
        #expect(test == .simulated)
        let vendorsWord = note { verdict in
            verdict.assurance = .platform
            verdict.capture = FoundVerdict.Capture(level: .medium, score: nil, model: [])
        }
        #expect(vendorsWord == .platform, "no key of the device signed")
        let all = byLevel + byAssurance + [test, .nothingFound]
        #expect(Set(all) == Set(LookupNote.allCases) && all.count == LookupNote.allCases.count)
        #expect(Set(LookupNote.allCases.map(\.sentence)).count == LookupNote.allCases.count)
    }
}

extension String {
    fileprivate func padding(_ filler: Character, to length: Int) -> String {
        self + String(repeating: filler, count: max(0, length - utf8.count))
    }
}
