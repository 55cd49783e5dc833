import AssayCore
import AssayRPC
import Crypto
import Foundation

/// The checks of judgements: `bad_bodies` to `deadline`.
extension PluginExamination {
    /// The verdict that the daemon would give.
    enum Judged {
        case accepted(Appraisal)
        case rejected(Rejection, check: String)
        case unavailable(String)

        var words: String {
            switch self {
            case .accepted: "accepted"
            case .rejected(let rejection, let check):
                "rejected with \(rejection.code.rawValue) by the check '\(check)' (\(rejection.detail))"
            case .unavailable(let why): "UNAVAILABLE (\(why))"
            }
        }

        var isAccepted: Bool { if case .accepted = self { true } else { false } }
    }

    /// Judges by the daemon's own steps: its verifier for plugins, its registry's rules, its decision. A part of a payload is judged beside an
    /// accepted piece that binds the payload of the request.
    ///
    /// - Throws: for an answer against the contract, a status that evidence is no reason for, and an end of the process.
    func judge(_ session: PluginSession, _ request: PluginRequest, in world: ExaminationWorld, _ what: String) async throws
        -> Judged
    {
        let judge = PluginJudge(id: plugin.entry.id, name: try described().name, ceiling: request.ceiling)
        let format = try format(of: request)
        let verifier = PluginVerifier(app: request.app, declared: format, primary: judge, others: [])
        let evidence: BoundedEvidence
        do throws(Rejection) {
            evidence = try verifier.bounded(Evidence(format: request.format, keyID: [], body: request.body))
        } catch { return .rejected(error, check: "evidence") }
        guard format.freshness != .payload || request.clientData != nil && request.payloadHash.count == 32 else {
            return .rejected(Rejection(.payloadNotBound, "the request binds no payload"), check: "binding")
        }
        host.set(world)
        var facts = Facts()
        do throws(PluginCallFailure) {
            var complete = request
            switch try await session.locate(request, timeout: .enforced(timeout)) {
            case .refused(let rejection): return .rejected(rejection, check: "evidence")
            case .unavailable(let why): return .unavailable(why)
            case .none: break
            case .device(let keyID, let subjectKey):
                (complete.device, complete.subjectKey) = (world.devices[keyID], subjectKey)
                do throws(Rejection) { try complete.admitLocated() } catch {
                    return .rejected(error, check: DeviceAdmission.check)
                }
            }
            guard case .appraised(_, let message, _) = try await session.appraise(complete, timeout: .enforced(timeout)) else {
                return .unavailable("the plugin gave no judgement")
            }
            facts = Facts(device: complete.device, opinions: [Opinion(plugin: judge.id, answer: .answered(message))])
        } catch {
            if case .status(let error) = error, session.isOpen, error.code == .unavailable || error.code == .resourceExhausted {
                return .unavailable(error.description)
            }
            // The end is known a little later than the lost connection.
            for _ in 0..<20 where !session.isOpen && session.process.endIfEnded == nil {
                try await Task.sleep(for: .milliseconds(10))
            }
            let end = session.process.endIfEnded.map { "; the process \($0)" } ?? ""
            throw CheckFailure("expected: a judgement of \(what); found: \(error)\(end)")
        }
        let appraisal = verifier.appraise(
            evidence,
            in: AppraisalContext(
                binding: Binding(of: request, format), facts: facts, now: request.now))
        switch Decision(format.freshness == .payload ? [.bindingPiece, appraisal] : [appraisal]) {
        case .reject(let rejection, let check): return .rejected(rejection, check: check)
        case .unavailable(let check, let detail): return .unavailable("\(check): \(detail)")
        case .accept: break
        }
        if let (rejection, check) = world.refusal(of: appraisal, facts.device, in: request.app) {
            return .rejected(rejection, check: check)
        }
        return .accepted(appraisal)
    }

    // MARK: Bodies that are no evidence

    private static func badBodies(_ limit: Int) -> [[UInt8]] {
        var random = RepeatableRandom(3)
        var bodies: [[UInt8]] = [[], [0], [0xFF]]
        for size in [1, 2, 7, 16, 31, 32, 33, 64, 100, 255, 256, 1000, 4096, 65_536] { bodies.append(random.bytes(size)) }
        let texts = [
            "{}", "[]", "null", "true", "0", "\"\"", "{\"a\":", "{\"a\":1,\"a\":2}", "-1e999", "\u{FEFF}{}", "\0",
            "{\"\\u0000\":null}",
            "eyJhbGciOiJub25lIn0.e30.", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        ]
        bodies += texts.map { Array($0.utf8) }
        // Structures of JSON, CBOR, ASN.1 and protobuf that are deep, or longer than what follows.
        bodies += [
            Array(String(repeating: "[", count: min(limit, 100_000)).utf8),
            Array(String(repeating: "{\"a\":", count: min(limit / 5, 20_000)).utf8),
            Array(repeating: 0x81, count: min(limit, 100_000)), [0x9B, 0x7F] + Array(repeating: 0xFF, count: 7),
            [0x5B, 0x7F] + Array(repeating: 0xFF, count: 7), Array(repeating: 0x30, count: min(limit, 50_000)),
            [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            Array(repeating: 0, count: limit), Array(repeating: 0x22, count: limit), random.bytes(limit),
        ]
        return bodies.filter { $0.count <= limit }
    }

    func badBodies() async throws -> String {
        let session = try await open()
        var count = 0
        let app = plugin.entry.apps.first ?? good?.request.app ?? AppID("app")
        guard let app else { throw CheckSkipped("there is no app") }
        let formats = try described().formats
        guard !formats.isEmpty else { throw CheckSkipped("the plugin appraises no format") }
        for format in formats {
            for purpose in format.purposes.sorted(by: { $0.name < $1.name }) {
                var requests = Self.badBodies(format.sizeLimit).map { Self.request(format, purpose, app, $0) }
                // The beginnings of what is good: every length of a short body, some of a long one.
                if let good = good?.request, good.format == format.name, good.purpose == purpose {
                    let step = max(1, good.body.count / 200)
                    for length in stride(from: 0, to: good.body.count, by: step) {
                        var request = good
                        request.body = Array(good.body.prefix(length))
                        requests.append(request)
                    }
                }
                for request in requests {
                    let what = "a body of \(Self.shown(request.body))"
                    let judged = try await judge(session, request, in: good?.world ?? .empty, what)
                    guard !judged.isAccepted else {
                        throw CheckFailure("expected: \(format.name) \(purpose.name) does not accept \(what); found: accepted")
                    }
                    count += 1
                }
            }
        }
        guard case let end = await session.close(), end == .exited(status: 0) else {
            throw CheckFailure("expected: it goes on after bad bodies; found: it did not end cleanly")
        }
        return "\(count) bodies, none accepted"
    }

    // MARK: Cases

    func requireCases() throws -> [ExaminationCase] {
        guard !options.cases.isEmpty else { throw CheckSkipped("no cases were given (--vectors)") }
        return options.cases
    }

    func vectors() async throws -> String {
        let cases = try requireCases()
        var wrong: [String] = []
        var sessions: [[UInt8]: PluginSession] = [:]
        var counts = (accepted: 0, rejected: 0, unavailable: 0)
        for one in cases {
            let session = try await self.session(for: one, among: &sessions)
            do {
                let judged = try await judge(session, one.request, in: one.world, "the case '\(one.id)'")
                if let problem = problem(judged, one.expected) { wrong.append("'\(one.id)': \(problem)") }
                switch judged {
                case .accepted: counts.accepted += 1
                case .rejected: counts.rejected += 1
                case .unavailable: counts.unavailable += 1
                }
            } catch { wrong.append("'\(one.id)': \(error)") }
        }
        guard wrong.isEmpty else {
            throw CheckFailure(
                "\(wrong.count) of \(cases.count) cases are judged wrongly: " + wrong.prefix(5).joined(separator: "; "))
        }
        return
            "\(cases.count) cases: \(counts.accepted) accepted, \(counts.rejected) rejected, \(counts.unavailable) UNAVAILABLE"
    }

    /// The process that has the configuration of the case: one for each configuration, and few at a time. After one that ended, a new one.
    private func session(for one: ExaminationCase, among sessions: inout [[UInt8]: PluginSession]) async throws -> PluginSession
    {
        if let known = sessions[one.configuration], known.isOpen { return known }
        let session = try await open(PluginConfiguration(message: one.configuration))
        if sessions.count >= 8 { sessions = [:] }
        sessions[one.configuration] = session
        return session
    }

    /// `nil` if the verdict is the right one.
    private func problem(_ judged: Judged, _ expected: ExaminationCase.Verdict) -> String? {
        switch (judged, expected) {
        case (.unavailable, .unavailable): return nil
        case (.rejected(let rejection, _), .rejected(let codes)) where codes.contains(rejection.code.rawValue) || codes.isEmpty:
            return nil
        case (.accepted(let appraisal), .accepted(let claims)):
            for (name, value) in claims.sorted(by: { $0.key < $1.key }) {
                let found = appraisal.claims[name]
                guard found.map({ value.map($0.equals) ?? false }) ?? (value == nil) else {
                    return
                        "expected: the claim \(name) is \(value.map { String(decoding: $0.text, as: UTF8.self) } ?? "absent"); "
                        + "found: \(found.map { "\($0)" } ?? "absent")"
                }
            }
            return nil
        case (_, .accepted): return "expected: accepted; found: \(judged.words)"
        case (_, .rejected(let codes)):
            return "expected: rejected with \(codes.joined(separator: " or ")); found: \(judged.words)"
        case (_, .unavailable): return "expected: UNAVAILABLE; found: \(judged.words)"
        }
    }

    // MARK: Changed evidence

    func changedEvidence() async throws -> String {
        let accepted = try requireCases().filter {
            if case .accepted = $0.expected { isWithinLimit($0.request) } else { false }
        }
        guard !accepted.isEmpty else { throw CheckSkipped("no case is to be accepted") }
        var random = RepeatableRandom(1)
        // All of them within a fifth of the calls, and at least 20 of each case.
        let each = max(20, min(options.calls, 10_000) / 5 / accepted.count)
        var sessions: [[UInt8]: PluginSession] = [:]
        var done = 0
        for one in accepted {
            let session = try await self.session(for: one, among: &sessions)
            for (changed, what) in try changes(of: one.request, each, &random) {
                let what = "the case '\(one.id)' with \(what)"
                let isBody = changed.clientData == one.request.clientData
                do {
                    guard try await !judge(session, changed, in: one.world, what).isAccepted else {
                        throw CheckFailure("expected: \(what) is not accepted; found: accepted")
                    }
                } catch let failure as CheckFailure {
                    // The daemon compares the client data: an answer that names others is not accepted.
                    guard !isBody, session.isOpen, failure.description.contains("client data") else { throw failure }
                }
                done += 1
                if done % 100 == 0 { progress(.changedEvidence, done, each * accepted.count) }
            }
        }
        return "\(done) changes of \(accepted.count) accepted cases, none accepted"
    }

    private func changes(
        of request: PluginRequest, _ count: Int, _ random: inout RepeatableRandom
    ) throws -> [(PluginRequest, String)] {
        let limit = try format(of: request).sizeLimit
        let meaning = Meaning(of: request.body)
        var changes: [(PluginRequest, String)] = []
        func add(_ body: [UInt8], _ what: String) {
            guard body.count <= limit, !meaning.isThat(of: body) else { return }
            var changed = request
            changed.body = body
            changes.append((changed, what))
        }
        let body = request.body
        add([], "no body")
        add(body + [0x78], "a byte more at its end")
        add([0x78] + body, "a byte more at its beginning")
        add(body + body, "its body twice")
        for index in 0..<count where !body.isEmpty {
            // Every place of a short body, random ones of a long one.
            let place = count >= body.count ? index % body.count : Int.random(in: 0..<body.count, using: &random)
            var changed = body
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            changed[place] = Bool.random(using: &random) ? changed[place] ^ bit : UInt8(truncatingIfNeeded: random.next())
            add(changed, "byte \(place) \(Hex.encode([body[place]])) changed to \(Hex.encode([changed[place]]))")
        }
        if let clientData = request.clientData, try format(of: request).freshness == .challenge {
            for _ in 0..<8 where !clientData.isEmpty {
                var changed = request
                let place = Int.random(in: 0..<clientData.count, using: &random)
                changed.clientData?[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                changes.append((changed, "byte \(place) of the expected client data changed"))
            }
        }
        return changes
    }

    /// What a body says: the same in letters of another case (hexadecimal, names of headers), and as the same JSON.
    private struct Meaning {
        private let lowered: [UInt8]
        private let document: JSONValue?

        init(of body: [UInt8]) {
            lowered = Self.lower(body)
            document = try? JSONReader.parse(body[...], code: .malformed)
        }

        func isThat(of changed: [UInt8]) -> Bool {
            if changed.count == lowered.count, Self.lower(changed) == lowered { return true }
            guard let document else { return false }
            return (try? JSONReader.parse(changed[...], code: .malformed)) == document
        }

        private static func lower(_ bytes: [UInt8]) -> [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    }

    // MARK: Parts of payloads

    func partsOfPayloads() async throws -> String {
        let names = Set(try described().formats.lazy.filter { $0.freshness == .payload }.map(\.name))
        guard !names.isEmpty else { return "no format is a part of a payload" }
        let parts = try requireCases().filter { names.contains($0.request.format) && isWithinLimit($0.request) }
        let accepted = parts.filter { if case .accepted = $0.expected { true } else { false } }
        guard !accepted.isEmpty else { throw CheckSkipped("no case of a part of a payload is to be accepted") }
        var random = RepeatableRandom(5)
        var sessions: [[UInt8]: PluginSession] = [:]
        var others = 0
        for one in accepted {
            let session = try await self.session(for: one, among: &sessions)
            if case .accepted(let appraisal) = try await judge(session, one.request, in: one.world, "the case '\(one.id)'") {
                guard case .reject(let rejection, _) = Decision([appraisal]), rejection.code == .payloadNotBound else {
                    throw CheckFailure(
                        "expected: the case '\(one.id)' alone is rejected with payload_not_bound; found: \(Decision([appraisal]))"
                    )
                }
            }
            for hash in Self.otherHashes(than: one.request, &random) {
                var other = one.request
                (other.payloadHash, other.signals) = (hash, [])
                let what = "the case '\(one.id)' beside the payload \(Hex.encode(hash.prefix(8)))…"
                do {
                    guard try await !judge(session, other, in: one.world, what).isAccepted else {
                        throw CheckFailure("expected: \(what), another than its own, is not accepted; found: accepted")
                    }
                } catch let failure as CheckFailure {
                    // The daemon compares the payload: an answer that names another is not accepted.
                    guard session.isOpen, failure.description.contains("its evidence belongs to") else {
                        throw failure
                    }
                }
                others += 1
            }
        }
        return "\(accepted.count) accepted cases alone and beside \(others) other payloads, none accepted"
    }

    /// SHA-256 of payloads that the evidence is no part of: a bit changed, zeros, of an empty payload, of the client data, random.
    private static func otherHashes(than request: PluginRequest, _ random: inout RepeatableRandom) -> [[UInt8]] {
        var changed = request.payloadHash
        if !changed.isEmpty { changed[changed.count - 1] ^= 1 }
        let all = [
            changed, [UInt8](repeating: 0, count: 32), SHA256.bytes(of: []), SHA256.bytes(of: request.clientData ?? []),
            random.bytes(32),
        ]
        // The evidence may be the payload itself.
        return all.filter { $0 != request.payloadHash && $0 != SHA256.bytes(of: request.body) }
    }

    // MARK: Answers

    func sameAnswer() async throws -> String {
        let known = try requests()
        guard !known.isEmpty else { throw CheckSkipped("the plugin appraises no format") }
        var count = 0
        let sessions = [try await open(), try await open()]
        for (request, world) in known.prefix(50) {
            var first: [UInt8]?
            for session in sessions + sessions {
                host.set(world)
                let answer: PluginSession.Answer
                do throws(PluginCallFailure) { answer = try await session.judge(request, timeout: .enforced(timeout)) } catch {
                    throw CheckFailure("expected: an answer; found: \(error)")
                }
                guard case .appraised(_, let message, _) = answer else { continue }
                guard first == nil || first == message else {
                    throw CheckFailure("expected: the same answer to a body of \(Self.shown(request.body)); found: another one")
                }
                first = message
                count += 1
            }
        }
        return "\(count) answers of two processes"
    }

    func deadlines() async throws -> String {
        let session = try await open()
        var slowest = Duration.zero
        var count = 0
        var calls = try requests()
        let app = plugin.entry.apps.first ?? good?.request.app ?? AppID("app")
        var random = RepeatableRandom(4)
        for format in try described().formats {
            for body in [random.bytes(format.sizeLimit), Array(repeating: UInt8(ascii: "["), count: format.sizeLimit)] {
                if let purpose = format.purposes.first, let app {
                    calls.append((Self.request(format, purpose, app, body), .empty))
                }
            }
        }
        guard !calls.isEmpty else { throw CheckSkipped("the plugin appraises no format") }
        let deadline = plugin.entry.limits.deadline
        for (request, world) in calls.suffix(200) {
            let began = ContinuousClock.now
            _ = try await judge(session, request, in: world, "a body of \(Self.shown(request.body))")
            let elapsed = ContinuousClock.now - began
            guard elapsed <= deadline else {
                throw CheckFailure(
                    "expected: answers within \(deadline.short); found: \(elapsed.short) for a body of \(Self.shown(request.body))"
                )
            }
            slowest = max(slowest, elapsed)
            count += 1
        }
        return "\(count) calls, the slowest \(slowest.short) of \(deadline.short)"
    }
}

extension Claims.Value {
    /// Whether it is the value that a case states: bytes as Base64, times in milliseconds since 1970.
    fileprivate func equals(_ json: JSONValue) -> Bool {
        func number(_ value: Int64) -> Bool {
            if case .number(let digits) = json { digits.elementsEqual(String(value).utf8) } else { false }
        }
        switch self {
        case .text(let text): return json == .string(Array(text.utf8))
        case .integer(let value): return number(value)
        case .boolean(let value): return json == .boolean(value)
        case .bytes(let bytes): return json == .string(Array(Base64.standard.encode(bytes).utf8))
        case .texts(let texts): return json == .array(texts.map { .string(Array($0.utf8)) })
        case .time(let time): return number(time.unixMilliseconds)
        }
    }
}

extension Binding {
    /// What the device of the request, or that of the piece beside it, signed.
    fileprivate init(of request: PluginRequest, _ format: PluginFormat) {
        guard let clientData = request.clientData else {
            self = .inEvidence
            return
        }
        self =
            format.freshness == .payload
            ? Binding(clientData: clientData, payloadHash: request.payloadHash) : Binding(embedded: clientData)
    }
}

extension Appraisal {
    /// An accepted piece that binds the request's payload.
    fileprivate static let bindingPiece = {
        var appraisal = Appraisal(format: EvidenceFormat(rawValue: "examination"))
        (appraisal.findings, appraisal.assurance) = ([.pass("signature")], .secureElement)
        return appraisal
    }()
}
