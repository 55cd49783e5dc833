import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

/// The checks of how a plugin starts: `start` to `before_configure`.
extension PluginExamination {
    mutating func start() async throws -> String {
        let began = ContinuousClock.now
        let process = try await RawPlugin(plugin, host: host)
        let response = try await process.describe()
        let elapsed = ContinuousClock.now - began
        let missing = process.process.report.steps.filter { $0.outcome == .missing }
        guard missing.isEmpty else {
            throw CheckFailure(
                "expected: the sandbox is enforced; found: missing "
                    + missing.map { "\($0.name) (\($0.text))" }.joined(separator: ", "))
        }
        let expected = plugin.isCatalogued ? plugin.entry.name : String(decoding: response.name, as: UTF8.self)
        if let description = try? PluginDescription(response, expected: expected) { take(description) }
        let enforced = process.process.report.steps.filter {
            ["landlock", "seccomp", "network", "processes"].contains($0.name)
        }
        return "answered Describe after \(elapsed.short) under "
            + enforced.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
    }

    mutating func describe() async throws -> String {
        let process = try await RawPlugin(plugin, host: host)
        let first = try await process.describe()
        let name = plugin.isCatalogued ? plugin.entry.name : String(decoding: first.name, as: UTF8.self)
        let description: PluginDescription
        do throws(PluginFault) { description = try PluginDescription(first, expected: name) } catch {
            throw CheckFailure("expected: a description within the contract; found: \(error)")
        }
        take(description)
        if plugin.isCatalogued {
            if let problem = plugin.entry.problem(with: description) {
                throw CheckFailure("expected: what the entry says; found: \(problem)")
            }
            let asked = description.hostServices.subtracting(plugin.entry.services).map(\.rawValue).sorted()
            guard asked.isEmpty else {
                throw CheckFailure(
                    "expected: no service of the host that the entry does not allow; found: \(asked.joined(separator: ", "))")
            }
        }
        func require(_ other: Assay_Plugin_V1_DescribeResponse, _ when: String) throws {
            guard other == first else {
                throw CheckFailure("expected: always the same description; found: another one \(when)")
            }
        }
        try require(try await process.describe(), "in the same process")
        try require(try await RawPlugin(plugin, host: host).describe(), "in another process")
        if let configuration = try? message(configuration) {
            _ = try? await process.configure(configuration, apps: plugin.apps(options.cases))
            if process.process.endIfEnded == nil { try require(try await process.describe(), "after Configure") }
        }
        return "\(description.name) \(description.version): "
            + (description.formats.map(\.name.rawValue) + (description.observes ? ["verdicts"] : [])).joined(separator: ", ")
            + (description.hostServices.isEmpty
                ? "" : "; asks the host for \(description.hostServices.map(\.rawValue).sorted().joined(separator: ", "))")
    }

    func versions() async throws -> String {
        let unknown: [UInt32] = [4_294_967_294, 4_294_967_295]
        let environment = Launch.environment.map {
            $0.hasPrefix("ASSAY_PLUGIN_PROTOCOLS=") ? $0 + ",4294967294,4294967295" : $0
        }
        let process = try await RawPlugin(plugin, host: host, environment: environment)
        let own = try await process.describe().protocolVersions
        for offered in [[1] + unknown, unknown] {
            let answered = try await process.describe(offering: offered).protocolVersions
            guard answered == own, Set(answered).isDisjoint(with: unknown) else {
                throw CheckFailure(
                    "expected: the plugin's own versions \(own) after any offer; found: \(answered) after the offer \(offered)"
                )
            }
        }
        guard let configuration = try? message(configuration) else { return "speaks \(own)" }
        let answer = try await process.configure(configuration, apps: plugin.apps(options.cases), version: unknown[1])
        guard !answer.isOK || !Self.problems(answer).isEmpty else {
            throw CheckFailure("expected: Configure refuses the version \(unknown[1]); found: it was accepted")
        }
        return "speaks \(own), and refuses others"
    }

    func startedByHand() async throws -> String {
        let without = Launch.environment.filter { !$0.hasPrefix("ASSAY_PLUGIN_COOKIE=") }
        for (environment, what) in [
            (without, "without the cookie"), (without + ["ASSAY_PLUGIN_COOKIE=another"], "with another cookie"),
        ] {
            let process = try await RawPlugin(plugin, host: host, environment: environment)
            let end = try await process.end(within: max(.seconds(10), process.patience))
            guard end == .exited(status: 64) else {
                throw CheckFailure("expected: exit with status 64 \(what); found: \(end.map { "it \($0)" } ?? "it runs on")")
            }
            // The pipe may be read after the end was seen.
            for _ in 0..<100 where process.process.lastLines.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            guard process.process.lastLines.contains(where: { $0.contains("assayd") }) else {
                throw CheckFailure(
                    "expected: a sentence on stderr that names assayd \(what); found: "
                        + (process.process.lastLines.last.map { "\"\($0)\"" } ?? "nothing"))
            }
        }
        return "exit status 64, with a sentence"
    }

    // MARK: Configuration

    static func problems(_ reply: RawReply) -> [PluginProblem] {
        // Both responses have their problems as field 1.
        PluginProblem.read((try? Assay_Plugin_V1_ValidateResponse(serializedBytes: reply.message))?.problems ?? [])
    }

    func configurations() async throws -> String {
        let description = try described()
        let good = try message(configuration)
        let process = try await RawPlugin(plugin, host: host)
        func validate(_ configuration: [UInt8], _ what: String) async throws -> RawReply {
            let reply = try await process.call(
                .validate, Assay_Plugin_V1_ValidateRequest.with { $0.configuration = Data(configuration) },
                "Validate of \(what)")
            for problem in Self.problems(reply) where problem.sentence.isEmpty {
                throw CheckFailure("expected: each problem has a sentence; found: one of \(what) at '\(problem.path)' without")
            }
            return reply
        }
        func requireGood(_ when: String) async throws {
            let reply = try await validate(good, "the good configuration")
            let problems = Self.problems(reply)
            guard reply.isOK, problems.isEmpty else {
                throw CheckFailure(
                    "expected: the configuration is good\(when); found: "
                        + (reply.isOK ? problems.map(\.description).joined(separator: "; ") : reply.words)
                        + " (--configuration gives another)")
            }
        }
        try await requireGood("")
        let bad = try badConfigurations(description, good)
        for (text, what, mustBeRefused) in bad {
            let reply = try await validate(text, what)
            guard !mustBeRefused || !reply.isOK || !Self.problems(reply).isEmpty else {
                throw CheckFailure("expected: problems in the configuration with \(what); found: none")
            }
        }
        try await requireGood(" after bad ones")
        let reply = try await process.configure(good, apps: plugin.apps(options.cases))
        guard reply.isOK, Self.problems(reply).isEmpty else {
            throw CheckFailure("expected: Configure takes the good configuration; found: \(reply.words)")
        }
        // Configure refuses too, in a process of its own each: a plugin may end after it.
        for (text, what, mustBeRefused) in bad.prefix(4) {
            let process = try await RawPlugin(plugin, host: host)
            let reply = try await process.configure(text, apps: plugin.apps(options.cases))
            guard !mustBeRefused || !reply.isOK || !Self.problems(reply).isEmpty else {
                throw CheckFailure("expected: Configure refuses \(what); found: it was accepted")
            }
        }
        return "the good one is accepted, \(bad.count) bad ones are not"
    }

    private func badConfigurations(
        _ description: PluginDescription, _ good: [UInt8]
    ) throws -> [(text: [UInt8], what: String, mustBeRefused: Bool)] {
        var bad: [(text: [UInt8], what: String, mustBeRefused: Bool)] = [
            ([], "no byte", true), (Array("{".utf8), "half an object", true),
            (Array("[]".utf8), "a list in place of an object", true),
            ([0xFF], "a byte that is not UTF-8", true), (Array(#"{"a":1,"a":2}"#.utf8), "a key twice", true),
            (Array(String(repeating: "[", count: 20_000).utf8), "20000 open lists", true),
            (
                Array(#"{"a":"#.utf8) + Array(String(repeating: "[", count: 100_000).utf8), "100000 open lists in an object",
                true
            ),
        ]
        guard case .object(let object)? = try? JSONReader.parse(good[...], code: .malformed) else { return bad }
        func changed(_ name: String, _ value: JSONValue?) -> [UInt8] {
            var members = object.members.filter { !$0.name.elementsEqual(name.utf8) }
            if let value { members.append(JSONObject.Member(name: Array(name.utf8), value: value)) }
            return JSONValue.object(JSONObject(members)).text
        }
        // The daemon refuses these before the plugin is asked; a plugin survives them.
        bad.append((changed("no_such_key_of_a_plugin", .boolean(true)), "an unknown key", false))
        for key in description.configurationKeys {
            let wrong: JSONValue =
                switch key.kind {
                case .list, .object, .boolean, .unspecified, .UNRECOGNIZED: .string(Array("text".utf8))
                case .text, .secretFile, .integer, .number: .array([])
                }
            bad.append((changed(key.name, wrong), "another kind of '\(key.name)'", key.kind != .unspecified))
            bad.append((changed(key.name, .null), "null as '\(key.name)'", false))
            if key.isRequired { bad.append((changed(key.name, nil), "'\(key.name)' missing", true)) }
        }
        return bad
    }

    func beforeConfigure() async throws -> String {
        let process = try await RawPlugin(plugin, host: host)
        let description = try described()
        var calls: [(PluginConnection.Method, any SwiftProtobuf.Message)] = []
        let app = plugin.entry.apps.first ?? good?.request.app ?? AppID("app")
        if let format = description.formats.first, let purpose = format.purposes.first, let app {
            calls.append((.appraise, process.message(good?.request ?? Self.request(format, purpose, app, [0]))))
        }
        if let format = description.formats.first(where: \.locates) {
            calls.append((.locate, Assay_Plugin_V1_LocateRequest.with { $0.format = Data(format.name.rawValue.utf8) }))
        }
        if let format = description.formats.first(where: \.prepares) {
            calls.append((.prepare, Assay_Plugin_V1_PrepareRequest.with { $0.format = Data(format.name.rawValue.utf8) }))
        }
        if description.observes { calls.append((.observe, Assay_Plugin_V1_ObserveRequest())) }
        for (method, request) in calls {
            let id = try await process.begin(method, request)
            let reply = try await process.reply(to: id, method.rawValue)
            guard reply.code == 9, reply.reason == "not_configured" else {
                throw CheckFailure(
                    "expected: \(method.rawValue) before Configure is answered status 9 not_configured; found: \(reply.words)")
            }
        }
        return calls.map(\.0.rawValue).joined(separator: ", ") + ": status 9 not_configured"
    }
}

extension Duration {
    /// For people: milliseconds, or seconds.
    var short: String {
        let milliseconds = self / .milliseconds(1)
        return milliseconds < 1000 ? "\(Int(milliseconds.rounded())) ms" : "\((milliseconds / 100).rounded() / 10) s"
    }
}
