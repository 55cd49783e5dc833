import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assay init")
    struct InitCommandTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private static let iOS = ["--team", "TEAMID1234", "--bundle", "com.example.photos"]
        private static let digest = String(repeating: "1A:", count: 31) + "1A"
        private static let android = ["--package", "com.example.photos", "--signer", digest]

        private var place: String { folder.file("it") }

        /// Runs it with ports that nothing listens at.
        private func initialize(_ words: [String]) async throws -> Child.Ending {
            let options = try ["--port", String(PostgresServer.freePort()), "--test-port", String(PostgresServer.freePort())]
            return try await Child.run("assay", ["init", place] + options + words)
        }

        private func object(_ ending: Child.Ending) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any], "\(ending)")
        }

        /// Runs lines in one shell, as they were pasted; the first is a daemon, which is ended.
        private func paste(_ lines: [String]) async throws -> Child.Ending {
            let first = try #require(lines.first)
            let script = """
                set -e
                \(first)
                daemon=$!
                trap 'kill "$daemon"; wait "$daemon"' EXIT
                \(lines.dropFirst().joined(separator: "\n"))
                """
            return try await Child("/bin/sh", ["-c", script]).ending()
        }

        private func mode(_ name: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: place + "/" + name)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }

        @Test(
            "Writes configurations that are good, and three commands that work when they are pasted",
            arguments: [
                (["--for", "upload", "--reach", "socket"] + iOS + android, "verdicts are as they have to be"),
                (["--for", "upload"] + iOS, "verdicts are as they have to be"),
                (["--for", "trial"], "verdicts are as they have to be"),
                (["--reach", "network", "--host", "assay.example.org"] + android, "verdicts are as they have to be"),
                (["--for", "security"] + iOS, ""),
                (["--for", "provisioning", "--manufacturer", "Example Cameras"], "PROVISIONED"),
            ])
        func pasted(_ words: [String], _ said: String) async throws {
            let ending = try await initialize(words + ["--json"])
            #expect(ending.status == 0, "\(ending)")
            let object = try object(ending)
            let configurations = try #require(object["configurations"] as? [[String: Any]])
            #expect(configurations.count == (words.contains("trial") ? 1 : 2), "\(ending)")
            for configuration in configurations {
                #expect(configuration["good"] as? Bool == true && configuration["checked"] as? Bool == true, "\(ending)")
            }
            let next = try #require(object["next"] as? [String])
            #expect(next.count == 3, "\(next)")
            let pasted = try await paste(next)
            #expect(
                pasted.status == 0 && (said.isEmpty || pasted.out.contains(said)),
                "\(pasted)\n\(folder.text("it/test/assayd.log"))")
            if let key = try FileManager.default.contentsOfDirectory(atPath: place + "/test").first(where: {
                $0.hasSuffix(".key") && !$0.hasPrefix("ledger")
            }) {
                #expect(try mode("test/\(key)") == 0o600)
            }
            // In production the same commands start a daemon that knows no virtual device.
            let production = try #require(object["production"] as? [String])
            // Beyond loopback nothing listens in tests, and no vendor is asked.
            guard let start = production.first, !words.contains("network"), !words.contains("--package") else { return }
            let keys = try await paste([start + " >\(folder.file("log")) 2>&1 &"] + production.dropFirst())
            #expect(keys.status == 0, "\(keys)\n\(folder.text("log"))")
        }

        @Test("Nothing is replaced without --force, which keeps CAs and devices and makes a new certificate")
        func twice() async throws {
            let words = ["--for", "upload"] + Self.iOS
            #expect(try await initialize(words).status == 0)
            #expect(try mode("production/tls/server.key") == 0o600 && mode("production/tls/ca.key") == 0o600)
            let files = ["production/tls/ca.pem", "test/phone/root.pem", "production/tls/server.pem", "production/assayd.yaml"]
            let before = files.map { folder.text("it/" + $0) }
            let again = try await initialize(words)
            #expect(again.status == 65 && again.err.contains("exists already") && again.err.contains("--force"), "\(again)")
            #expect(files.map { folder.text("it/" + $0) } == before)
            let forced = try await initialize(words + ["--force"])
            #expect(forced.status == 0 && forced.out.contains("Next, with the virtual devices:"), "\(forced)")
            let after = files.map { folder.text("it/" + $0) }
            #expect(after[0] == before[0] && after[1] == before[1] && after[2] != before[2] && after[3] != before[3])
        }

        @Test("Wrong and missing answers are wrong usage, and files that tell no signer are named with what to do")
        func mistakes() async throws {
            try folder.write([0x30, 0x05, 0x02, 0x01, 0x03, 0x30, 0x00], to: "release.p12")
            let keystore = folder.file("release.p12")
            for (words, status, said) in [
                ([], 64, "n app is needed"),
                (["--team", "TEAM", "--bundle", "com.example.photos"], 64, "ten capital letters"),
                (["--team", "TEAMID1234"], 64, "--team needs --bundle"),
                (["--package", "com.example.photos"], 64, "--package needs --signer"),
                (["--for", "nothing"], 64, "nothing"),
                (Self.iOS + ["--store", "postgresql://a:b@db.example.org/c"], 64, "--database-ca"),
                (Self.iOS + ["--host", "a b"], 64, "--host"),
                (["--package", "com.example.photos", "--signer", keystore], 65, "keytool -exportcert -rfc -keystore"),
                (["--apk", folder.file("none.apk")], 65, "there is no such file"),
                (Self.android + ["--signer", "/dev/null"], 65, "not a regular file"),
            ] as [([String], Int32, String)] {
                let ending = try await initialize(words)
                #expect(ending.status == status && ending.err.contains(said), "\(words): \(ending)")
                #expect(!FileManager.default.fileExists(atPath: place), "\(words)")
            }
        }

        @Test("A database's password is in a file of its own, and a configuration that cannot be used is told")
        func database() async throws {
            let port = try PostgresServer.freePort()
            let ending = try await initialize(
                Self.iOS + ["--reach", "socket", "--store", "postgresql://assay:sesame@127.0.0.1:\(port)/assay"])
            #expect(
                ending.status == 1 && ending.out.contains("it cannot be used here as it is"), "nothing listens there: \(ending)"
            )
            #expect(folder.text("it/production/database-password") == "sesame\n")
            #expect(try mode("production/database-password") == 0o600)
            #expect(!folder.text("it/production/assayd.yaml").contains("sesame") && !ending.out.contains("sesame"))
        }

        @Test(
            "On a terminal it asks, repeats a question whose answer cannot be used, and takes an empty answer as the usual one")
        func questions() async throws {
            // The last is the end of the input (Ctrl-D), while the team is asked for again.
            let answers = ["nonsense", "upload", "", "TEAM", "\u{4}"]
            let program = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
            let wrong = try await Child(
                "/usr/bin/env", ["python3", "-c", program, try Child.built("assay"), "init", place],
                input: answers.joined(separator: "\n") + "\n"
            ).ending()
            #expect(wrong.status == 1 && wrong.out.contains("want one of upload"), "\(wrong)")
            #expect(wrong.out.contains("ten capital letters") && wrong.out.contains("nothing is written"), "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: place))

            let good = ["upload", "", "TEAMID1234", "com.example.photos", "", "socket", ""]
            let asked = try await Child(
                "/usr/bin/env", ["python3", "-c", program, try Child.built("assay"), "init", place],
                input: good.joined(separator: "\n") + "\n"
            ).ending()
            #expect(asked.status == 0 && asked.out.contains("Who are you?"), "\(asked)")
            #expect(folder.text("it/production/assayd.yaml").contains("app_id: TEAMID1234.com.example.photos"))
        }
    }
}
