import AssayCore
import Crypto
import Foundation
import Synchronization
import Testing

@testable import AssayPlugins

/// The plugin with one fault, `plugins/sdk/tests/faulty`.
enum FaultyPlugin {
    static var path: String { BuiltPlugin.root.appending(path: "plugins/sdk/c/.build/faulty").path() }
    static let clientData = Array("client data".utf8)
    static let evidence = SHA256.hash(data: clientData).map { ~$0 }

    static func entry(_ fault: String?) throws -> PluginEntry {
        var entry = PluginEntry(
            id: "faulty", name: "faulty", file: "/faulty.yaml", command: path, arguments: fault.map { [$0] } ?? [],
            manifest: PluginManifest([:]),
            formats: (["test.faulty"] + (fault?.hasPrefix("part") == true ? ["test.part"] : [])).map {
                EvidenceFormat(rawValue: $0)
            },
            apps: [try #require(AppID("app"))])
        entry.sandbox = BuiltPlugin.sandbox
        entry.sandbox.user = nil
        entry.configuration = PluginConfiguration(json: Array(#"{"key":"some"}"#.utf8))
        entry.manifest = try PluginManifest.current(of: entry, owner: nil)
        return entry
    }

    /// A device of a world, by the name that the plugin gives it.
    static func device(_ subjectKey: [UInt8], _ more: String = "") -> String {
        let id = Base64.standard.encode([UInt8](repeating: 7, count: 16))
        return #"{"id_b64": "\#(id)", "subject_key_b64": "\#(Base64.standard.encode(subjectKey))"\#(more)}"#
    }

    static func one(
        _ id: String, _ body: [UInt8], _ expected: String, world: String = "{}", purpose: String = "assert"
    ) -> String {
        """
        {"id": "\(id)", "configuration": {"key": "some"}, "format": "test.faulty", "app": "app", "purpose": "\(purpose)",
         "body_b64": "\(Base64.standard.encode(body))", "now_unix_ms": 1800000000000, "world": \(world),
         "expected": {"client_data_b64": "\(Base64.standard.encode(clientData))"}, "expect": \(expected)}
        """
    }

    /// A case of the part of a payload, as the daemon gives it to a plugin beside a piece that binds the payload.
    static func part(_ id: String, _ body: [UInt8], _ expected: String, payload: String = "payload", binds: Bool = true)
        -> String
    {
        let hash = Base64.standard.encode(SHA256.bytes(of: Array(payload.utf8)))
        let bound = binds ? #", "payload_sha256_b64": "\#(hash)""# : ""
        return """
            {"id": "\(id)", "configuration": {"key": "some"}, "format": "test.part", "app": "app", "purpose": "assert",
             "body_b64": "\(Base64.standard.encode(body))", "now_unix_ms": 1800000000000, "world": {},
             "expected": {"client_data_b64": "\(Base64.standard.encode(clientData))"\(bound)}, "expect": \(expected)}
            """
    }

    /// Cases of both formats: a part beside its payload, beside another, and beside none.
    static func partCases() throws -> [ExaminationCase] {
        let body = SHA256.bytes(of: Array("payload".utf8)).map { ~$0 }
        let accepted = #"{"verdict": "ACCEPTED", "reasons": []}"#
        return try cases([
            one("right", evidence, accepted), part("part", body, accepted),
            part("other", [UInt8](repeating: 0, count: 32), #"{"verdict": "REJECTED", "reasons": ["bad_signature"]}"#),
            part("unbound", body, #"{"verdict": "REJECTED", "reasons": ["payload_not_bound"]}"#, binds: false),
        ])
    }

    static func cases(right world: String = "{}", others: [String] = []) throws -> [ExaminationCase] {
        let wrong = others.isEmpty ? "bad_signature" : "unknown_device"
        return try cases(
            [
                one("right", evidence, #"{"verdict": "ACCEPTED", "reasons": []}"#, world: world),
                one("wrong", [UInt8](repeating: 0, count: 32), #"{"verdict": "REJECTED", "reasons": ["\#(wrong)"]}"#),
            ] + others)
    }

    static func cases(_ cases: [String]) throws -> [ExaminationCase] {
        try ExaminationCase.read(Array("{\"plugin\": \"faulty\", \"cases\": [\(cases.joined(separator: ","))]}".utf8)).cases
    }
}

extension ProcessTests {
    @Suite("Examination", .enabled(if: FileManager.default.isExecutableFile(atPath: FaultyPlugin.path), "make plugins"))
    struct ExaminationTests {
        private func examine(
            _ plugin: ExaminedPlugin, _ cases: [ExaminationCase], calls: Int = 600, answers: Bool = true
        ) async throws -> [ExaminationResult] {
            var options = PluginExamination.Options()
            (options.cases, options.calls, options.restarts) = (cases, calls, 5)
            // A busy machine takes its time for answers; those that never come are not waited for so long.
            options.timeLimit = answers ? Self.patience : .seconds(15)
            var examination = PluginExamination(plugin, options)
            return await examination.run { _ in }
        }

        private static let patience = Duration.seconds(60)

        private var user: Sandbox.User? { getuid() == 0 ? Sandbox.User(id: 65_534, group: 65_534) : nil }

        private func copies() -> String {
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: UUID().uuidString + "/copies")
                .path()
        }

        private func faulty(_ fault: String?) throws -> ExaminedPlugin {
            try ExaminedPlugin(try FaultyPlugin.entry(fault), launcher: BuiltPlugin.launcher, copies: copies(), user: user)
        }

        private func failed(_ results: [ExaminationResult]) -> Set<ExaminationCheck> {
            Set(results.filter { $0.outcome == .failed }.map(\.check))
        }

        @Test("A plugin without a fault passes every check, as an entry and as an executable")
        func faultless() async throws {
            let results = try await examine(try faulty(nil), try FaultyPlugin.cases())
            #expect(results.map(\.check) == ExaminationCheck.allCases)
            #expect(results.allSatisfy { $0.outcome == .passed }, "\(results.filter { $0.outcome != .passed })")
            let executable = try ExaminedPlugin(
                path: FaultyPlugin.path, launcher: BuiltPlugin.launcher, copies: copies(), user: user)
            let again = try await examine(executable, try FaultyPlugin.cases())
            #expect(again.allSatisfy { $0.outcome == .passed }, "\(again.filter { $0.outcome != .passed })")
        }

        @Test(
            "Each fault fails the checks that it breaks, and no other",
            arguments: [
                ("format", [.description]), ("changing", [.description]), ("by-hand", [.startedByHand]),
                ("no-key", [.configuration]), ("any-key", [.configuration]), ("unconfigured", [.beforeConfigure]),
                ("unknown-method", [.unknownMethod]), ("undecodable", [.undecodableMessage]),
                ("abort-at-fault", [.brokenFrames, .changedFrames, .endWithinFrame]),
                ("never-fails", [.brokenFrames, .changedFrames, .endWithinFrame]),
                ("status-at-end", [.halfClose, .badBodies, .memory, .restarts, .shutdown]),
                ("empty-body", [.badBodies, .changedEvidence]), ("accept", [.badBodies, .vectors, .changedEvidence]),
                ("last-byte", [.changedEvidence]), ("reject", [.vectors]),
                ("client-data", [.vectors, .sameAnswer, .deadline, .memory]),
                ("undeclared-claim", [.halfClose, .vectors, .sameAnswer, .deadline]), ("alternating", [.sameAnswer]),
                ("slow", [.deadline]), ("leak", [.memory]), ("noise", []),
            ] as [(String, Set<ExaminationCheck>)])
        func faults(_ fault: String, _ expected: Set<ExaminationCheck>) async throws {
            try await expect(expected, toFailBy: fault)
        }

        private func expect(_ expected: Set<ExaminationCheck>, toFailBy fault: String, answers: Bool = true) async throws {
            let results = try await examine(try faulty(fault), try FaultyPlugin.cases(), answers: answers)
            let failures = results.filter { $0.outcome == .failed }
            #expect(Set(failures.map(\.check)) == expected, "\(fault): \(failures.map { "\($0.check): \($0.sentence)" })")
            #expect(failures.allSatisfy { !$0.sentence.isEmpty }, "\(fault)")
        }

        @Test("Answers and ends that never come fail the checks that wait for them, and no other")
        func silence() async throws {
            let faults: [String: Set<ExaminationCheck>] = [
                "mute": [.start], "hang-at-fault": [.brokenFrames, .changedFrames, .endWithinFrame],
                "hang-at-end": [.halfClose, .badBodies, .memory, .restarts, .shutdown],
                "other-call": [.beforeConfigure, .unknownMethod, .undecodableMessage],
            ]
            // At once, since most of it is waiting.
            try await withThrowingTaskGroup { group in
                for (fault, expected) in faults {
                    group.addTask { try await expect(expected, toFailBy: fault, answers: false) }
                }
                try await group.waitForAll()
            }
        }

        @Test(
            "Each fault of a part of a payload fails the checks that it breaks, and no other",
            arguments: [
                ("part", []), ("part-echo", [.payload]),
                ("part-other", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-silent", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-effect", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-undeclared", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-note", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-skipped", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-long", [.vectors, .payload, .sameAnswer, .deadline, .memory]),
                ("part-beside", [.vectors, .sameAnswer, .deadline, .memory]),
            ] as [(String, Set<ExaminationCheck>)])
        func partFaults(_ fault: String, _ expected: Set<ExaminationCheck>) async throws {
            let results = try await examine(try faulty(fault), try FaultyPlugin.partCases())
            let failures = results.filter { $0.outcome == .failed }
            #expect(Set(failures.map(\.check)) == expected, "\(failures.map { "\($0.check): \($0.sentence)" })")
            let payload = try #require(results.first { $0.check == .payload })
            guard expected.isEmpty else { return }
            #expect(payload.sentence == "1 accepted cases alone and beside 5 other payloads, none accepted")
        }

        @Test("Evidence of a device that is not registered is refused before the plugin is asked, as the daemon refuses it")
        func unregisteredDevices() async throws {
            let results = try await examine(
                try faulty("names-device"),
                try FaultyPlugin.cases(
                    right: #"{"devices": [\#(FaultyPlugin.device(FaultyPlugin.evidence))]}"#,
                    others: [
                        FaultyPlugin.one("unregistered", FaultyPlugin.evidence, rejected("unknown_device")),
                        FaultyPlugin.one(
                            "blocked", FaultyPlugin.evidence, rejected("device_blocked"),
                            world: #"{"devices": [\#(FaultyPlugin.device(FaultyPlugin.evidence, #", "blocked": true"#))]}"#),
                    ]))
            #expect(results.allSatisfy { $0.outcome == .passed }, "\(results.filter { $0.outcome != .passed })")
        }

        @Test(
            "What the daemon's verifier or commit refuses is no accepted case",
            arguments: [
                ("no-assurance", "assert", "assurance_too_low", ""), ("registers", "register", "key_already_registered", ""),
                ("advances", "assert", "counter_not_increasing", #", "counter": 7"#),
            ])
        func refusedLater(_ claim: String, _ purpose: String, _ code: String, _ more: String) async throws {
            let world = #"{"devices": [\#(FaultyPlugin.device(Array("camera".utf8), more))]}"#
            let one = FaultyPlugin.one("right", FaultyPlugin.evidence, rejected(code), world: world, purpose: purpose)
            let results = try await examine(try faulty(claim), try FaultyPlugin.cases([one]))
            let vectors = try #require(results.first { $0.check == .vectors })
            #expect(vectors.outcome == .passed, "\(vectors.sentence)")
        }

        private func rejected(_ code: String) -> String { #"{"verdict": "REJECTED", "reasons": ["\#(code)"]}"# }

        @Test("A time limit that is given is that of an answer, and without it the entry's own where it is longer than 5 s")
        func timeLimit() async throws {
            var options = PluginExamination.Options()
            (options.timeLimit, options.restarts) = (.milliseconds(200), 0)
            var examination = PluginExamination(try faulty("mute"), options)
            let start = try #require(await examination.run { _ in }.first)
            #expect(start.check == .start && start.outcome == .failed)
            #expect(start.sentence.contains("within 0.2 seconds"), "\(start.sentence)")

            var entry = try FaultyPlugin.entry(nil)
            for (deadline, expected) in [(Duration.seconds(2), Duration.seconds(5)), (.seconds(9), .seconds(10))] {
                entry.limits.deadline = deadline
                let plugin = try ExaminedPlugin(entry, launcher: BuiltPlugin.launcher, copies: copies(), user: user)
                #expect(plugin.patience == expected)
            }
        }

        @Test("Without cases the judgements are skipped, and say why")
        func noCases() async throws {
            let results = try await examine(try faulty(nil), [])
            let skipped = results.filter { $0.outcome == .skipped }
            #expect(Set(skipped.map(\.check)) == [.vectors, .changedEvidence])
            #expect(skipped.allSatisfy { $0.sentence.contains("--vectors") } && failed(results).isEmpty)
        }

        @Test("The template in C passes as an executable")
        func template() async throws {
            let plugin = try ExaminedPlugin(
                path: BuiltPlugin.template, launcher: BuiltPlugin.launcher, copies: copies(), user: user)
            var options = PluginExamination.Options()
            options.configuration = PluginConfiguration(
                message: Array(#"{"key":"\#(String(repeating: "05", count: 32))"}"#.utf8))
            (options.calls, options.restarts, options.timeLimit) = (200, 3, Self.patience)
            var examination = PluginExamination(plugin, options)
            let results = await examination.run { _ in }
            #expect(failed(results).isEmpty, "\(results.filter { $0.outcome == .failed })")
            #expect(examination.name == "example-hmac" && examination.version == "1.0.0")
        }

        @Test("A file that is no plugin is refused with the reason")
        func noPlugin() throws {
            func refusal(_ path: String) -> String? {
                do throws(PluginFileError) {
                    _ = try ExaminedPlugin(path: path, launcher: BuiltPlugin.launcher, copies: copies(), user: user)
                    return nil
                } catch { return error.description }
            }
            #expect(refusal("/nowhere")?.contains("/nowhere") == true)
            #expect(refusal("/usr")?.contains("main.py") == true)
            #expect(refusal(#filePath)?.contains("is not an ELF executable") == true)
        }
    }

    @Suite("Cases of an examination")
    struct ExaminationCaseTests {
        private func problem(_ text: String) -> String? {
            do throws(CaseError) {
                _ = try ExaminationCase.read(Array(text.utf8))
                return nil
            } catch { return error.description }
        }

        private static let good =
            #"{"id":"a","configuration":{},"format":"x.y","app":"app","purpose":"assert","body_b64":"","now_unix_ms":1,"expect":{"verdict":"REJECTED","reasons":["malformed"]}}"#

        @Test("What is wrong is named by its place")
        func places() {
            #expect(problem("[]") == "is not a JSON object")
            #expect(problem(#"{"cases":[]}"#) == "\"plugin\" is missing")
            #expect(problem(#"{"plugin":"p","cases":[\#(Self.good)]}"#) == nil)
            #expect(
                problem(#"{"plugin":"p","cases":[\#(Self.good.replacing("assert", with: "assort"))]}"#)?
                    .hasPrefix(#"the case "a": "purpose" is none of"#) == true)
            #expect(
                problem(#"{"plugin":"p","cases":[\#(Self.good.replacing(#""body_b64":"""#, with: #""body_b64":"?""#))]}"#)
                    == #"the case "a": "body_b64" is no Base64"#)
        }

        @Test("A world has devices by key id, used tokens, a fleet and its keys")
        func world() async throws {
            let world = #"""
                {"devices":[{"id_b64":"AAAAAAAAAAAAAAAAAAAAAA==","subject_key_b64":"AQI=","counter":7}],"used_tokens_b64":["AQ=="],
                 "anchors_b64":["MAA="],"fleet":{"masters":{"3":"\#(String(repeating: "07", count: 32))"},"devices":[]}}
                """#
            let text = #"{"plugin":"p","cases":[\#(Self.good.replacing(#""expect""#, with: #""world":\#(world),"expect""#))]}"#
            let one = try #require(try ExaminationCase.read(Array(text.utf8)).cases.first)
            let host = ExaminationHost(one.world)
            let call = PluginCall(app: one.request.app, format: one.request.format)
            let scope = { PluginScope.digest($0, plugin: "p", format: one.request.format, $1) }
            #expect(host.device(keyID: scope(PluginScope.deviceTag, [1, 2]), in: call)?.counter == 7)
            #expect(
                host.areUsed([scope(PluginScope.tokenTag, [1]), scope(PluginScope.tokenTag, [2])], in: call) == [true, false])
            #expect(host.anchors() == [[0x30, 0]])
            #expect(try host.fleetDevice(secret: [1], in: call) == nil)
            #expect(try host.fleetKey(table: 3, index: 0, in: call)?.count == 32)
            #expect(try host.fleetKey(table: 4, index: 0, in: call) == nil)
            host.set(.empty)
            #expect(throws: NoFleet.self) { try host.fleetKey(table: 3, index: 0, in: call) }
        }
    }
}

@Suite("Records of the kernel's log")
struct KernelAuditTests {
    @Test("System calls and refusals of the examined processes are read, and of no other")
    func records() {
        let audit = KernelAudit(
            [
                "6,1,1,-;audit: type=1326 audit(1.0:1): auid=1 uid=65534 gid=65534 ses=1 pid=42 comm=\"x\" exe=\"/x\" sig=0 arch=c000003e syscall=0 compat=0\n",
                "6,1,1,-;audit: type=1326 audit(1.0:1): pid=43 sig=0 syscall=1\n",
                "6,2,1,-;audit: type=1424 audit(1.0:2): domain=195ba459b status=allocated mode=enforcing pid=42 uid=0 exe=\"/x\" comm=\"x\"\n",
                "6,3,1,-;audit: type=1423 audit(1.0:3): domain=195ba459b blockers=fs.read_file path=\"/etc/hosts\" dev=\"vda\" ino=7\n",
                "6,3,1,-;audit: type=1423 audit(1.0:3): domain=195ba459c blockers=fs.read_file path=\"/etc/other\" dev=\"vda\" ino=7\n",
                "6,3,1,-;audit: type=1423 audit(1.0:3): domain=195ba459b blockers=net.connect_tcp daddr=1.2.3.4 dest=80\n",
            ], processes: [42])
        #expect(audit.isAudited && audit.calls.count == 1 && audit.calls[0].hasSuffix(" (1 times)"))
        #expect(audit.files == ["/etc/hosts: fs.read_file"])
        #expect(audit.others == ["net.connect_tcp, daddr 1.2.3.4, dest 80"])
    }
}
