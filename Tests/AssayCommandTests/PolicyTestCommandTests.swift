import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// `assay policy test` (AssayApps): cases of a policy beside its configuration.
    @Suite("Tests of policies")
    struct PolicyTestCommandTests {
        private let home: TestHome
        init() throws { home = try TestHome() }

        private func run(_ words: [String]) async throws -> Child.Ending {
            try await Child.run("assay", ["policy", "test"] + words, environment: ["COLUMNS": "120"])
        }

        /// Evidence of a phone in files: a registration, and an upload of a payload after it.
        private func make() throws -> (challenges: [String], keyID: String) {
            var phone = home.phone()
            let key = ChallengeKey(id: 1, secret: SecureRandom.bytes(32), createdAt: .distantPast)
            let expiry = SystemClock().now().adding(milliseconds: 300_000)
            let challenges = [Purpose.register, .assert].map {
                key.issue(app: home.app, purpose: $0, context: [], expiry: expiry)
            }
            let registration = try phone.registration(challenges[0])
            let upload = try phone.upload(challenges[1])
            let pieces = (try #require(registration.evidence.first), try #require(upload.evidence.first))
            try home.folder.write(pieces.0.body, to: "phone.attestation")
            try home.folder.write(pieces.1.body, to: "upload.assertion")
            try home.folder.write("photo", to: "photo.jpg")
            return (challenges.map { Hex.encode($0) }, Hex.encode(phone.key.keyID))
        }

        private func cases(_ made: (challenges: [String], keyID: String), expecting expectation: String) -> String {
            """
            configuration: assayd.yaml
            at: \(SystemClock().now())
            cases:
              - name: a phone registers
                app: camera
                challenge: \(made.challenges[0])
                evidence: [{format: app-attest.attestation, key_id: \(made.keyID), file: phone.attestation}]
                expect: {accepted: secure_element}
              - name: its upload
                app: camera
                after: a phone registers
                challenge: \(made.challenges[1])
                payload: photo.jpg
                evidence: [{format: app-attest.assertion, key_id: \(made.keyID), file: upload.assertion}]
                expect: \(expectation)
              - name: another payload
                app: camera
                after: a phone registers
                challenge: \(made.challenges[1])
                payload: phone.attestation
                evidence: [{format: app-attest.assertion, key_id: \(made.keyID), file: upload.assertion}]
                expect: {rejected: bad_signature}
              - name: an upload of a phone that is not registered
                app: camera
                challenge: \(made.challenges[1])
                payload: photo.jpg
                evidence: [{format: app-attest.assertion, key_id: \(made.keyID), file: upload.assertion}]
                expect: {rejected: [unknown_device, bad_signature]}
            """
        }

        @Test("Evidence in files is judged by the pipeline of the daemon, each case over a ledger of its own")
        func evidence() async throws {
            let file = try home.folder.write(cases(try make(), expecting: "accepted"), to: "cases.yaml")
            let ending = try await run([file])
            #expect(ending.status == 0, "\(ending.out)\(ending.err)")
            #expect(
                ending.lines == [
                    "✓ a phone registers: accepted (secure_element)", "✓ its upload: accepted (secure_element)",
                    "✓ another payload: rejected: bad_signature",
                    "✓ an upload of a phone that is not registered: rejected: unknown_device", "4 of 4 cases passed",
                ])
        }

        @Test("A case that comes out otherwise fails with its line, what was expected, and what was found")
        func failure() async throws {
            let file = try home.folder.write(
                cases(try make(), expecting: "{rejected: counter_not_increasing}"), to: "cases.yaml")
            let ending = try await run([file])
            #expect(ending.status == 1)
            #expect(ending.lines.contains("    expected  rejected: counter_not_increasing"), "\(ending.out)")
            #expect(ending.lines.contains("    found     accepted (secure_element)"))
            #expect(ending.lines.contains { $0.hasPrefix("✗ its upload (line ") })
            #expect(ending.lines.last == "3 of 4 cases passed, 1 failed")
            let json = try await run([file, "--json"])
            #expect(json.status == 1 && json.lines.count == 4)
            let line = try #require(json.lines.dropFirst().first)
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let second = try #require(object as? [String: Any])
            #expect(second["passed"] as? Bool == false && second["found"] as? String == "accepted (secure_element)")
        }

        @Test(
            "Under another configuration the same cases come out otherwise, and an acceptance that a case builds on is needed")
        func otherConfiguration() async throws {
            let file = try home.folder.write(cases(try make(), expecting: "accepted"), to: "cases.yaml")
            let strict = try home.folder.write(
                home.folder.text("assayd.yaml").replacing("accept_simulated: true", with: "accept_simulated: false"),
                to: "strict.yaml")
            let ending = try await run([file, "--config", strict])
            #expect(ending.status == 1)
            #expect(ending.lines.contains("    found     rejected: simulated_not_accepted"), "\(ending.out)")
            #expect(ending.lines.contains("    found     unjudged (check after)"))
        }

        @Test("A challenge that has expired at the given time, or is of another purpose, is refused")
        func challenges() async throws {
            let made = try make()
            let late = cases(made, expecting: "accepted").replacing(
                "at: 20", with: "at: 2099-01-01T00:00:00Z  # 20", maxReplacements: 1)
            let ending = try await run([try home.folder.write(late, to: "late.yaml")])
            #expect(ending.status == 1 && ending.lines.contains("    found     rejected: challenge_expired"), "\(ending.out)")
            let swapped = cases((made.challenges.reversed(), made.keyID), expecting: "accepted").replacing(
                "    challenge: ", with: "    purpose: register\n    challenge: ", maxReplacements: 1)
            let wrong = try await run([try home.folder.write(swapped, to: "swapped.yaml")])
            #expect(wrong.lines.contains("    found     rejected: challenge_wrong_purpose"), "\(wrong.out)")
        }

        @Test("A wrong reason code gets some that may be meant, and not all of them")
        func wrongCode() async throws {
            for (expected, near) in [
                ("{rejected: bad_signatur}", "bad_signature"), ("{rejected: [blocked]}", "device_blocked"),
            ] {
                let file = try home.folder.write(cases(try make(), expecting: expected), to: "cases.yaml")
                let ending = try await run([file])
                let told = ending.out + ending.err
                #expect(ending.status != 0, "\(told)")
                #expect(told.contains("want a reason code (docs/reference/reason-codes.md), have "), "\(told)")
                #expect(told.contains("near it: ") && told.contains(near), "\(told)")
                #expect(!told.contains("unsupported_key"), "\(told)")
            }
        }

        @Test("The example passes, and fails under a policy without its rule")
        func example() async throws {
            let folder = Package.path("examples/policy")
            let ending = try await run([folder + "/cases.yaml"])
            #expect(ending.status == 0 && ending.lines.last == "4 of 4 cases passed", "\(ending.out)\(ending.err)")
            let lax = try Package.text("examples/policy/assayd.yaml").replacing(
                "      validation_categories: [2, 4]             # TestFlight and the App Store\n", with: "")
            let other = try await run([folder + "/cases.yaml", "--config", try home.folder.write(lax, to: "lax.yaml")])
            #expect(other.status == 1 && other.lines.last == "3 of 4 cases passed, 1 failed", "\(other.out)")
        }

        @Test("What a plugin with role all would have to accept too stays unjudged, and what Assay refuses is refused")
        func plugins() async throws {
            let file = try home.folder.write(cases(try make(), expecting: "{unjudged: plugin}"), to: "cases.yaml")
            try FileManager.default.createDirectory(
                atPath: home.folder.file("plugins.d"), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755])
            try home.folder.write(
                """
                name: second
                command: /usr/lib/assay/second
                formats: [app-attest.assertion]
                role: all
                apps: [camera]
                manifest: {/usr/lib/assay/second: "\(String(repeating: "ab", count: 32))"}
                """, to: "plugins.d/second.yaml")
            try home.folder.write(
                home.folder.text("assayd.yaml") + "\nplugins: {catalog: plugins.d}\n", to: "assayd.yaml")
            let ending = try await run([file])
            #expect(ending.status == 0, "\(ending.out)\(ending.err)")
            #expect(
                ending.lines.prefix(3) == [
                    "✓ a phone registers: accepted (secure_element)", "✓ its upload: unjudged (check plugin)",
                    "✓ another payload: rejected: bad_signature",
                ], "\(ending.out)")
        }

        @Test(
            "What is wrong with a file is told with its line, and nothing is run",
            arguments: [
                ("expect: accepted", "expect: {rejected: bad_signatur}", "near it: bad_signature"),
                ("app: camera", "app: camara", "did you mean \"camera\"?"),
                ("challenge: 01", "challenge: 0", "want 54 bytes"),
                ("payload: photo.jpg", "payload: none.jpg", "none.jpg"),
                ("after: a phone registers", "after: another", "no case before this one is called \"another\""),
                ("name: its upload", "name: a phone registers", "two cases are called"),
                ("configuration: assayd.yaml", "configuration: none.yaml", "none.yaml"),
                ("expect: accepted", "expects: accepted", "did you mean \"expect\"?"),
                ("format: app-attest.assertion", "format: app-attest.asertion", "did you mean \"app-attest.assertion\"?"),
                ("at: 2", "at: x2", "want a time such as"),
            ])
        func problems(_ old: String, _ new: String, _ problem: String) async throws {
            let text = cases(try make(), expecting: "accepted")
            try #require(text.contains(old))
            let ending = try await run([
                try home.folder.write(text.replacing(old, with: new, maxReplacements: 1), to: "cases.yaml")
            ])
            #expect(ending.status == 2 && ending.out.isEmpty)
            #expect(ending.err.contains(problem), "\(ending.err)")
        }

        @Test("A configuration that cannot be read is the only problem: no app of a case is called unknown")
        func missingConfiguration() async throws {
            let text = cases(try make(), expecting: "accepted")
            let ending = try await run([
                try home.folder.write(
                    text.replacing("configuration: assayd.yaml", with: "configuration: none.yaml", maxReplacements: 1),
                    to: "cases.yaml")
            ])
            #expect(ending.status == 2 && ending.err.contains("none.yaml"), "\(ending.err)")
            #expect(!ending.err.contains(".app:"), "\(ending.err)")
        }

        @Test("A file that is not UTF-8 is refused as a configuration is, with what to do where an editor wrote UTF-16")
        func encodings() async throws {
            let text = cases(try make(), expecting: "accepted")
            let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            for (bytes, problem) in [
                (wide, ": the file is UTF-16 or UTF-32; save it as UTF-8"),
                (Array(text.utf8) + [0xFF], ": the line is not UTF-8, but has letters of another encoding such as Latin-1"),
            ] {
                let ending = try await run([try home.folder.write(bytes, to: "cases.yaml")])
                #expect(ending.status == 2 && ending.out.isEmpty)
                #expect(ending.err.contains("cases.yaml:") && ending.err.contains(problem), "\(ending.err)")
            }
        }

        @Test("A list of revoked certificates that the file names answers in place of the fetched one")
        func lists() async throws {
            let text = try Package.text("examples/policy/cases.yaml")
            try home.folder.write(#"{"entries": {"ff": "REVOKED"}}"#, to: "status.json")
            try home.folder.write(try Package.text("examples/policy/assayd.yaml"), to: "assayd.yaml")
            let bad = try await run([
                try home.folder.write(
                    text.replacing("cases:\n", with: "revocation_lists: {google: status.json}\ncases:\n"), to: "cases.yaml")
            ])
            #expect(bad.status == 2 && bad.err.contains("unknown"), "\(bad.err)")
            let good = try await run([
                try home.folder.write(
                    text.replacing(
                        "cases:\n", with: "revocation_lists: {\(Self.listKey): status.json}\ncases:\n", maxReplacements: 1),
                    to: "cases.yaml")
            ])
            #expect(good.status == 0, "\(good.err)")
        }

        private static let listKey = "google_attestation_status"
    }
}
