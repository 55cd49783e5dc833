import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayEvidenceCases
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import Logging
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Evidence cases")
    struct EvidenceCaseTests {
        /// Runs `body` with a daemon in this process that has the policy of the cases.
        private func run(_ body: (EvidenceMaker, AssayClient, AppID) async throws -> Void) async throws {
            let app = try #require(AppID("photos"))
            let policy = CasePolicy(app: app)
            let folder = try TemporaryFolder()
            for file in try policy.files() {
                try folder.write(file.text, to: file.name)
                try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: folder.file(file.name))
            }
            try folder.write(
                """
                listen: [{tcp: 127.0.0.1:0}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                \(policy.sections)
                """, to: "assayd.yaml")
            let daemon = try await makeDaemon(
                try Configuration.load(folder.file("assayd.yaml")), ledger: MemoryLedger(),
                vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
            let client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(try EvidenceMaker(client, policy: policy), client, app))
            } catch {
                result = .failure(error)
            }
            await client.close()
            await daemon.server.stop()
            try result.get()
        }

        /// A case as a test of a caller asks for it: with the caller's challenge and context, for a payload, and with what else the case needs.
        private func ask(
            _ entry: EvidenceCase, _ purpose: Purpose, _ platform: CasePlatform, _ client: AssayClient, _ app: AppID,
            expecting own: DeviceID
        ) async throws -> CaseRequest {
            var asked = CaseRequest(entry.name)
            (asked.purpose, asked.platform) = (purpose, platform)
            asked.context = Array("session".utf8)
            asked.challenge = try await client.issueChallenge(
                app: app, purpose: purpose, context: asked.context, timeout: TestPhone.patience
            ).bytes
            asked.payloadHash = ClientData.payloadHash(Array("a photo".utf8))
            asked.device = "\(entry.name)-\(platform.rawValue)-\(purpose.name)"
            if entry.needs.contains(.subject) { asked.subject = Array("subject of \(entry.name)".utf8) }
            if entry.needs.contains(.idempotencyKey) {
                asked.idempotencyKey = Array("\(entry.name)-\(platform.rawValue)-\(purpose.name)".utf8)
            }
            if entry.needs.contains(.expectedDevice) { asked.expectedDevice = own }
            return asked
        }

        @Test("The daemon's verdict on each case is the one that the case names, for each purpose and platform")
        func verdicts() async throws {
            try await run { maker, client, app in
                let registration = try await maker.make(
                    {
                        var asked = CaseRequest("accepted")
                        (asked.purpose, asked.device) = (.register, "phone-1")
                        return asked
                    }())
                let registered = try await client.patiently(registration.request)
                let own = try #require(
                    DeviceID(bytes: Array(registered.deviceID)), "\(registered.outcome): \(registered.detail)")
                var (wrong, count) = ([String](), 0)
                for entry in EvidenceCase.all {
                    for purpose in entry.purposes {
                        for platform in entry.platforms {
                            count += 1
                            let name = "\(entry.name), \(purpose.name), \(platform.rawValue)"
                            do {
                                let asked = try await ask(entry, purpose, platform, client, app, expecting: own)
                                let made = try await maker.make(asked)
                                let verdict = try await client.patiently(made.request)
                                let expected = made.expected?.rawValue ?? "accepted"
                                if verdict.outcome != expected {
                                    wrong.append("\(name): expected \(expected), got \(verdict.outcome): \(verdict.detail)")
                                } else if let code = made.expected, verdict.retry != code.retry.message {
                                    wrong.append("\(name): retry \(verdict.retry)")
                                }
                            } catch {
                                wrong.append("\(name): \(error)")
                            }
                        }
                    }
                }
                #expect(wrong.isEmpty, "\(wrong.count) of \(count):\n\(wrong.joined(separator: "\n"))")
                #expect(count > 110)
            }
        }

        @Test("A case without a challenge of the caller's asks for one, and the device is the same one each time")
        func withoutChallenge() async throws {
            try await run { maker, client, _ in
                for (name, device) in [("accepted", "phone-1"), ("replayed", "phone-1"), ("accepted", "android-1")] {
                    var ids: Set<Data> = []
                    for _ in 0..<3 {
                        var asked = CaseRequest(name)
                        asked.device = device
                        let made = try await maker.make(asked)
                        let verdict = try await client.patiently(made.request)
                        #expect(verdict.outcome == made.expected?.rawValue ?? "accepted", "\(verdict.detail)")
                        ids.insert(verdict.deviceID)
                    }
                    #expect(ids.count == 1, "\(name) \(device)")
                }
                var asked = CaseRequest("accepted")
                (asked.device, asked.scope) = ("phone-1", "another test")
                let other = try await client.patiently(try await maker.make(asked).request)
                asked.scope = ""
                let same = try await client.patiently(try await maker.make(asked).request)
                #expect(other.outcome == "accepted" && same.outcome == "accepted")
                #expect(other.deviceID != same.deviceID)
            }
        }

        @Test("Each reason code has a case, or a sentence that says why not")
        func codes() {
            let cases = Set(EvidenceCase.all.map(\.name))
            for code in ReasonCode.allCases {
                #expect(
                    cases.contains(code.rawValue) == (code.whyNoCase == nil),
                    "\(code.rawValue) has \(cases.contains(code.rawValue) ? "a case and" : "no case, and no") sentence")
            }
            let words: Set = ["accepted", "replayed", "blocked", "unknown", "forged", "tampered", "accepted_token"]
            #expect(cases.subtracting(ReasonCode.allCases.map(\.rawValue)) == words)
        }

        // MARK: The page

        private static let command =
            "ASSAY_WRITE_DOCS=1 swift test --disable-index-store --filter EvidenceCaseTests"

        /// The part of the page from the first table on.
        private static var tables: String {
            func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
            var text = row(["case", "purpose", "devices", "needs", "what is made"]) + "|---|---|---|---|---|\n"
            for entry in EvidenceCase.all {
                text += row([
                    "`\(entry.name)`", entry.purposes.map(\.name).joined(separator: ", "),
                    entry.platforms.map(\.rawValue).joined(separator: ", "),
                    entry.needs.map { "`\($0.rawValue)`" }.sorted().joined(separator: ", "), entry.summary,
                ])
            }
            text += "\n## Codes without a case\n\n" + row(["code", "why no virtual device causes it"]) + "|---|---|\n"
            for code in ReasonCode.allCases {
                if let why = code.whyNoCase { text += row(["`\(code.rawValue)`", why]) }
            }
            return text
        }

        @Test("The documented cases are those of the catalogue")
        func page() throws {
            let text = try Package.text("docs/reference/test-cases.md")
            let start = try #require(text.range(of: "| case |"), "docs/reference/test-cases.md has lost its table").lowerBound
            if ProcessInfo.processInfo.environment["ASSAY_WRITE_DOCS"] == "1" {
                try (text[..<start] + Self.tables)
                    .write(toFile: Package.path("docs/reference/test-cases.md"), atomically: true, encoding: .utf8)
            } else {
                #expect(text[start...] == Self.tables, "docs/reference/test-cases.md is stale. Regenerate: \(Self.command)")
            }
        }

        // MARK: The dialogue

        /// The error's code and message of a reply.
        private func error(_ line: String, _ maker: EvidenceMaker) async throws -> String {
            let reply = await CaseDialogue.reply(to: Array(line.utf8), by: maker)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(reply)) as? [String: Any])
            let error = try #require(object["error"] as? [String: String], "\(String(decoding: reply, as: UTF8.self))")
            return "\(error["code"] ?? ""): \(error["message"] ?? "")"
        }

        @Test("What cannot be made is told with its reason")
        func mistakes() async throws {
            try await run { maker, _, _ in
                func ask(_ params: String) async throws -> String {
                    try await error(#"{"id": 1, "method": "evidence", "params": \#(params)}"#, maker)
                }
                for (params, message) in [
                    (#"{"case": "replay"}"#, #"unknown_case: there is no case "replay"; did you mean replayed?"#),
                    (#"{"case": "xyz"}"#, "unknown_case: there is no case \"xyz\"; the reply to"),
                    (#"{"case": "malformed_csr"}"#, "case_not_made: no virtual device causes malformed_csr: it is of requests"),
                    (
                        #"{"case": "unknown_device", "purpose": "register"}"#,
                        "wrong_purpose: the case unknown_device is one of the purpose assert"
                    ),
                    (
                        #"{"case": "bootloader_unlocked", "device": "phone-1"}"#,
                        "wrong_device: the case bootloader_unlocked is made with a device"
                    ),
                    (
                        #"{"case": "accepted", "device": "phone-1", "platform": "android"}"#,
                        "wrong_device: phone-1 is a device of the platform iphone"
                    ),
                    (
                        #"{"case": "key_owner_mismatch"}"#,
                        "needs_member: the case key_owner_mismatch comes of a request with subject"
                    ),
                    (#"{"case": "accepted", "challange": "AAAA"}"#, "malformed_request: there is no parameter \"challange\""),
                    (#"{"case": "accepted", "challenge": "AAAA"}"#, "malformed_request: challenge has 3 bytes, want 54"),
                    (#"{"case": "accepted", "payloadSha256": "?"}"#, "malformed_request: payloadSha256 is not Base64"),
                    (#"{"case": "accepted", "purpose": "renew"}"#, "malformed_request: purpose is assert or register"),
                    (#"{"case": "accepted", "platform": "pager"}"#, "malformed_request: platform is iphone, android or mac"),
                    ("{}", "malformed_request: params.case is missing"),
                    ("7", "malformed_request: params is not an object"),
                ] {
                    let found = try await ask(params)
                    #expect(found.hasPrefix(message), "\(params): \(found)")
                }
                for line in [
                    "", "x", "[]", "{}", #"{"method": "verify"}"#, #"{"method": 3}"#, String(repeating: " ", count: 70_000),
                ] {
                    #expect(try await error(line, maker).hasPrefix("malformed_request: "), "\(line.prefix(30))")
                }
            }
        }

        @Test("A reply has the id of its request, whatever kind of value that is")
        func ids() async throws {
            try await run { maker, _, _ in
                for id in ["1", #""a""#, "null", "[1,2]"] {
                    let reply = await CaseDialogue.reply(to: Array(#"{"id":\#(id),"method":"cases"}"#.utf8), by: maker)
                    #expect(String(decoding: reply.prefix(40), as: UTF8.self).hasPrefix(#"{"id":\#(id),"result":[{"#))
                }
            }
        }
    }
}

extension ProcessTests {
    @Suite("assayd test-server")
    struct TestServerCommandTests {
        @Test("It answers the lines of standard input, and ends with it, and leaves nothing")
        func dialogue() async throws {
            let folder = try TemporaryFolder()
            let lines = [
                #"{"id": 1, "method": "evidence", "params": {"case": "accepted"}}"#,
                #"{"id": 2, "method": "evidence", "params": {"case": "bootloader_unlocked"}}"#, "nonsense",
                #"{"id": 3, "method": "cases"}"#,
            ]
            let ending = try await Child(
                try Child.built("assayd"), ["test-server", "--app", "films"], input: lines.map { $0 + "\n" }.joined(),
                environment: ["TMPDIR": folder.path]
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            let replies = try ending.lines.map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
            }
            try #require(replies.count == 5, "\(ending)")
            let ready = try #require(replies[0]["ready"] as? [String: Any])
            #expect((ready["url"] as? String)?.hasPrefix("http://127.0.0.1:") == true && ready["app"] as? String == "films")
            let devices = try #require(ready["devices"] as? [String: String])
            #expect(devices.count == 3)
            let expected = replies[1...2].map { ($0["result"] as? [String: Any])?["expected"] as? [String: String] }
            #expect(expected[0] == ["decision": "DECISION_ACCEPTED"])
            #expect(
                expected[1] == [
                    "decision": "DECISION_REJECTED", "reason": "bootloader_unlocked", "retry": "RETRY_CLASS_CONTACT_OPERATOR",
                ])
            #expect((replies[3]["error"] as? [String: String])?["code"] == "malformed_request" && replies[3]["id"] is NSNull)
            #expect((replies[4]["result"] as? [Any])?.isEmpty == false)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        /// Runs the tests of a library that starts the server, among them the README's test of a handler.
        private func check(_ language: String) async throws {
            let ending = try await Child(
                Package.path("clients/testing/check.sh"), ["--assayd", try Child.built("assayd"), language]
            ).ending()
            #expect(ending.status == 0 && !ending.err.contains("is left out"), "\(ending)")
        }

        @Test("The library for Python passes its tests", .enabled(if: LanguageTools.hasPytest))
        func python() async throws { try await check("python") }

        @Test("The library for Node.js passes its tests", .enabled(if: LanguageTools.hasNode))
        func node() async throws { try await check("node") }

        @Test("A name that no app can have is wrong usage")
        func usage() async throws {
            let ending = try await Child.run("assayd", ["test-server", "--app", "My App"])
            #expect(ending.status == 64 && ending.err.contains("--app is the name of an app"), "\(ending)")
        }
    }
}
