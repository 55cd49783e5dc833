import AssayPlugin

/// A plugin that does what the body of its evidence says: for the tests of the library.
@main
struct Specimen: Plugin {
    static let description = PluginDescription(
        name: "specimen",
        version: "1.0.0",
        formats: [
            Format(
                "specimen", purposes: [.assert, .register], sizeLimit: 64, freshness: .challenge,
                claims: [
                    ClaimDeclaration("text", .text, "text"),
                    ClaimDeclaration("integer", .integer, "an integer"),
                    ClaimDeclaration("boolean", .boolean, "a boolean"),
                    ClaimDeclaration("bytes", .bytes, "bytes"),
                    ClaimDeclaration("texts", .texts, "texts"),
                    ClaimDeclaration("time", .time, "a time"),
                ],
                codes: [CodeDeclaration("remark", retry: .never, "a remark")],
                locates: true, prepares: true),
            Format(
                "specimen.part", purposes: [.assert], sizeLimit: 64, freshness: .payload,
                claims: [ClaimDeclaration("document", .bytes, "the signed document")],
                codes: [
                    CodeDeclaration("not_a_part", retry: .never, "no part of the payload", vendorCode: "ERR 7 (part)"),
                    CodeDeclaration(.malformed, retry: .never, "malformed"),
                ],
                measures: ["lidar", "parallax"]),
        ],
        configurationKeys: [
            ConfigurationKey("word", .text, required: true, "a word"),
            ConfigurationKey("number", .integer, "a number"),
            ConfigurationKey("flag", .boolean, "a flag"),
            ConfigurationKey("layout", .text, "a layout"),
            ConfigurationKey("list", .list, "a list"),
            ConfigurationKey("file", .secretFile, "the same list, in a file"),
        ],
        hostServices: [.findDevice, .findUsed, .getAnchors, .findFleetDevice, .deriveKey],
        observes: true)

    enum Layout: String, CaseIterable {
        case first, second
    }

    let word: String
    let flag: Bool

    init(configuration: Setting) throws {
        word = configuration["word"].text(sizes: 1...15)
        _ = configuration["number"].integer(in: 1...9, default: 5)
        flag = configuration["flag"].boolean(default: false)
        _ = configuration["layout"].choice(of: Layout.self, default: .first)
        configuration["list"].ifGiven { Self.readList($0) }
        configuration["file"].ifGiven { $0.document { Self.readList($0) } }
        if word == "throw" { throw Misfortune() }
    }

    struct Misfortune: Error {}

    private static func readList(_ setting: Setting) {
        _ = setting.list(1...3) { element in
            element.allowOnly("id")
            return element["id"].ifGiven { $0.text(sizes: 1...7) }
        }
    }

    // MARK: Commands

    func appraise(_ evidence: Evidence, _ appraisal: inout Appraisal, host: Host) throws {
        if evidence.format == "specimen.part" { return try appraisePart(evidence, &appraisal) }
        // The specimen has no SHA-256 of its own: the tests send it as the payload's.
        if let digest = evidence.payloadSHA256 { appraisal.verifiedClientData(sha256: digest) }
        appraisal.assurance = .software
        switch evidence.body {
        case Array("claims".utf8): claimAll(evidence, &appraisal)
        case Array("host".utf8): try askAll(&appraisal, host)
        case Array("flood".utf8): try flood(evidence, &appraisal, host)
        case Array("ask".utf8): try? askOne(&appraisal, host)
        case Array("key".utf8): try? deriveOne(&appraisal, host)
        case Array("used".utf8): try? findTwo(evidence, &appraisal, host)
        case Array("undeclared".utf8):
            try appraisal.require("first", true, else: "x", "never shown")
            appraisal.claim("text", .integer(1))
        case Array("findings".utf8): for _ in 0...64 { try appraisal.require("one", true, else: "x", "never shown") }
        case Array("several".utf8):
            appraisal.check("first", false, else: "one", "the first")
            appraisal.check("second", true, else: "two", "never shown")
            appraisal.check("third", false, else: "three", "the third")
        case Array("unverified".utf8): try appraisal.require("first", true, else: "x", "never shown")
        case Array("name".utf8): try appraisal.require("a check", true, else: "x", "never shown")
        case Array("register".utf8):
            try appraisal.require("purpose", evidence.purpose == .register, else: "x", "purpose \(evidence.purpose)")
            appraisal.register(subjectKey: Array(evidence.app.utf8), publicKey: evidence.body)
        case Array("advance".utf8):
            try appraisal.require("device", evidence.device != nil, else: "unknown_device", "no device")
            appraisal.advance(counter: UInt32(clamping: (evidence.device?.counter ?? 0) &+ 1))
        case Array("fault".utf8):
            throw Fault.unavailable("provider_down", "the provider \(word) does not answer", retryAfterMilliseconds: 500)
        case Array("throw".utf8): throw Misfortune()
        case Array("sleep".utf8):
            sleep(milliseconds: 60)
            try appraisal.require("slept", true, else: .malformed, "never shown")
        case Array("text".utf8) + [0xff]:
            appraisal.claim("text", .text(String(decoding: evidence.body, as: UTF8.self)))
            let zeros = String(repeating: "0", count: 1499)
            try appraisal.require(
                "form", false, else: .malformed, "found \(String(decoding: evidence.body, as: UTF8.self))\n\(zeros)1")
        default: throw Refusal(.malformed, "expected a command, found \(evidence.body.count) bytes")
        }
    }

    /// A part of the payload: its body says what is measured.
    private func appraisePart(_ evidence: Evidence, _ appraisal: inout Appraisal) throws {
        let payload = evidence.payloadSHA256 ?? []
        try appraisal.require(
            "payload", payload.count == 32 && !evidence.clientData.isEmpty, else: .malformed, "no payload")
        if evidence.body != Array("unverified".utf8) { appraisal.verifiedPayload(sha256: payload) }
        switch evidence.body {
        case Array("part".utf8):
            appraisal.claim("document", .bytes(evidence.signals ?? []))
            appraisal.measured("lidar", .pass, "deviation \(600) mm")
            appraisal.measured("parallax", .unavailable, "no second picture")
        case Array("against".utf8): appraisal.measured("lidar", .fail, "deviation 0 mm")
        case Array("undeclared".utf8): appraisal.measured("sound", .pass, "never shown")
        case Array("twice".utf8): for _ in 0..<2 { appraisal.measured("lidar", .pass, "never shown") }
        case Array("unverified".utf8): appraisal.measured("lidar", .pass, "never shown")
        default:
            appraisal.measured("lidar", .pass, "never shown")
            try appraisal.require("part", false, else: "not_a_part", "expected a part, found \(evidence.body.count) bytes")
        }
    }

    private func claimAll(_ evidence: Evidence, _ appraisal: inout Appraisal) {
        appraisal.check("first", true, else: .malformed, "never shown")
        appraisal.note("second", "remark", "a note")
        appraisal.skip("third", "left out")
        appraisal.claim("text", .text("text"))
        appraisal.claim("integer", .integer(-5))
        appraisal.claim("boolean", .boolean(true))
        appraisal.claim("bytes", .bytes([0, 1]))
        appraisal.claim("texts", .texts(["a", "b"]))
        appraisal.claim("time", .time(evidence.nowMilliseconds))
    }

    private func askAll(_ appraisal: inout Appraisal, _ host: Host) throws {
        let found = try host.findDevice(subjectKey: Array("known".utf8))
        try appraisal.require("device", found?.counter == 7, else: "a", "device")
        let missing = try host.findDevice(subjectKey: Array("unknown".utf8))
        try appraisal.require("no_device", missing == nil, else: "b", "no device")
        let used = try host.findUsed(tokens: [Array("used".utf8), Array("new".utf8)])
        try appraisal.require("used", used == [true, false], else: "c", "used")
        try appraisal.require("anchors", host.anchors() == [[0x30, 0]], else: "d", "anchors")
        let key = try host.deriveKey(table: 3, index: 4)
        try appraisal.require("key", key?.count == 32, else: "e", "key")
        try appraisal.require("no_table", host.deriveKey(table: 4, index: 4) == nil, else: "f", "no table")
        try appraisal.require("fleet", host.findFleetDevice(secret: key ?? []) == nil, else: "g", "no fleet device")
        let device = try host.findFleetDevice(secret: [UInt8](repeating: 1, count: 32))
        try appraisal.require(
            "fleet_device", device?.tables == [10, 11, 12] && device?.serial == "S-1", else: "h", "fleet device")
    }

    // These pass whatever the host says: a missing answer must end the call all the same.

    private func askOne(_ appraisal: inout Appraisal, _ host: Host) throws {
        try appraisal.require("device", true, else: "x", "never shown")
        _ = try host.findDevice(subjectKey: Array("known".utf8))
    }

    private func deriveOne(_ appraisal: inout Appraisal, _ host: Host) throws {
        try appraisal.require("key", true, else: "x", "never shown")
        _ = try host.deriveKey(table: 1, index: 2)
    }

    private func findTwo(_ evidence: Evidence, _ appraisal: inout Appraisal, _ host: Host) throws {
        try appraisal.require("used", true, else: "x", "never shown")
        _ = try host.findUsed(tokens: [Array(evidence.app.utf8), Array(evidence.format.utf8)])
    }

    private func flood(_ evidence: Evidence, _ appraisal: inout Appraisal, _ host: Host) throws {
        for line in 0..<100 { host.log(.info, "line \(line) of \u{7f}\n", ["line": "\(line)"]) }
        for _ in 0..<5 { host.count("calls", by: 2) }
        host.gauge("level", 0.5)
        // Its reply shows that all before were read.
        _ = try host.findDevice(subjectKey: Array(evidence.app.utf8))
        try appraisal.require("device", true, else: "x", "host")
    }

    private func sleep(milliseconds: Int) {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(milliseconds)
        while clock.now < end {}
    }

    // MARK: Other methods

    func locate(_ request: LocateRequest) throws -> [UInt8]? {
        switch request.body {
        case Array("refuse".utf8): throw Refusal(.malformed, "refused")
        case Array("advance".utf8): Array("known".utf8)
        default: nil
        }
    }

    func prepare(_ request: PrepareRequest, host: Host) throws -> Prepared {
        guard !request.body.isEmpty else { throw Refusal(.malformed, "expected a body") }
        return Prepared(body: request.body, expiryMilliseconds: request.nowMilliseconds + 1000)
    }

    func observe(_ events: [VerdictEvent], dropped: UInt64, host: Host) throws {
        for event in events { host.log(.debug, "\(event.app) \(event.formats.count) \(event.accepted ? 1 : 0)") }
        host.count("dropped", by: dropped)
    }

    func health() -> String? { flag ? "the flag is set" : nil }
}
