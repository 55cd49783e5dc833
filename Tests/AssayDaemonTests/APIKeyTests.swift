import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

extension ProcessTests {
    @Suite("API keys of callers")
    struct APIKeyTests {
        /// A running daemon at which clients over TLS need no certificate.
        private struct Running {
            let tls: TLSHome
            let daemon: TestDaemon
            let socket: String

            init(keys: String = "{roles: [verify, observe], apps: [camera]}") async throws {
                let place = try TemporaryFolder()
                let path = place.file("assayd.sock")
                tls = try TLSHome(
                    listen: ["tls: 127.0.0.1:0, client_certificates: optional", "unix: \(path)"], keys: keys)
                daemon = try await TestDaemon(tls.home, addresses: 2)
                (socket, folder) = ("unix:" + path, place)
            }

            private let folder: TemporaryFolder

            /// The command over TLS with a key, and no certificate.
            func asking(_ arguments: [String], keyFile: String) async throws -> Child.Ending {
                try await Child.run(
                    "assay",
                    arguments + [
                        "--server", try daemon.address("tls"), "--tls-ca", tls.folder.file("server-ca.pem"), "--key-file",
                        keyFile,
                    ])
            }

            func operating(_ arguments: [String]) async throws -> Child.Ending {
                try await Child.run("assay", arguments + ["--server", socket])
            }
        }

        @Test("A key of the command line lets a caller without a certificate in over TLS until it is revoked")
        func life() async throws {
            let running = try await Running()
            let made = try await running.operating(["key", "create", "uploads-abroad", "--role", "verify", "--app", "camera"])
            #expect(made.status == 0 && made.err.contains("shown once"), "\(made)")
            let key = made.out.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(key.hasPrefix("assay_") && key.utf8.count == 49)
            let file = try running.tls.folder.write(key + "\n", to: "uploads.key")

            let known = try await running.asking(["whoami"], keyFile: file)
            #expect(known.status == 0 && known.out.contains("key:uploads-abroad"), "\(known)")
            // What root owns, a group may read.
            for (mode, isTold) in [(0o644, true), (0o640, getuid() != 0), (0o600, false), (0o400, false)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
                let asked = try await running.asking(["whoami"], keyFile: file)
                #expect(
                    asked.status == 0 && asked.err.contains("can be read by other users: chmod 0600 \(file)") == isTold,
                    "\(asked)")
                #expect(!asked.err.contains(key), "\(asked)")
            }
            let challenge = try await running.asking(["challenge", "--app", "camera", "--purpose", "assert"], keyFile: file)
            #expect(challenge.status == 0, "\(challenge)")
            let foreign = try await running.asking(["challenge", "--app", "other", "--purpose", "assert"], keyFile: file)
            #expect(foreign.status == 77, "\(foreign)")
            let status = try await running.asking(["status"], keyFile: file)
            #expect(status.status == 77, "the key has no role for it: \(status)")

            let list = try await running.operating(["key", "list"])
            #expect(list.out.contains("uploads-abroad  good  verify of camera"), "\(list)")
            let revoked = try await running.operating(["key", "revoke", "uploads-abroad", "--reason", "lost"])
            #expect(revoked.status == 0 && revoked.out.contains("revoked"), "\(revoked)")
            let refused = try await running.asking(["whoami"], keyFile: file)
            #expect(refused.status == 77 && refused.err.contains("credential"), "\(refused)")
            let again = try await running.operating(["key", "create", "uploads-abroad", "--role", "verify"])
            #expect(
                again.status == 1 && again.err.contains("ALREADY_EXISTS (key_name_taken): "), "a name is used once: \(again)")
            let audit = try await running.operating(["audit", "export"])
            #expect(audit.out.contains("uploads-abroad") && !audit.out.contains(key), "\(audit)")
            let ending = await running.daemon.stop()
            #expect(ending.status == 0 && !ending.err.contains(key), "\(ending)")
        }

        @Test("A caller without a certificate and without a key, or with a file that holds no key, gets nothing")
        func nothing() async throws {
            let running = try await Running()
            let server = ["--server", try running.daemon.address("tls"), "--tls-ca", running.tls.folder.file("server-ca.pem")]
            let file = try running.tls.folder.write("assay_short", to: "bad.key")
            let bad = try await Child.run("assay", ["whoami", "--key-file", file] + server)
            #expect(bad.status != 0 && bad.err.contains("bad.key") && !bad.err.contains("assay_short"), "\(bad)")
            let unknown = try running.tls.folder.write("assay_" + String(repeating: "A", count: 43), to: "unknown.key")
            let refused = try await running.asking(["challenge", "--app", "camera", "--purpose", "assert"], keyFile: unknown)
            #expect(refused.status == 77, "\(refused)")
            let files = try running.tls.files(.uri(TLSHome.uploads))
            let client = try await running.tls.connect(to: running.daemon, files)
            _ = try await client.issueChallenge(app: try #require(AppID("camera")), purpose: .assert)
            await client.close()
            _ = await running.daemon.stop()
        }

        @Test("A key with the role operate watches events, which come as a stream")
        func stream() async throws {
            let running = try await Running(keys: "{roles: [operate], apps: all}")
            let made = try await running.operating(["key", "create", "events", "--role", "operate"])
            let key = try ClientKey(made.out.trimmingCharacters(in: .whitespacesAndNewlines))
            let client = try await AssayClient.connect(
                to: try running.daemon.address("tls"),
                credentials: ClientCredentials(authorities: running.tls.folder.file("server-ca.pem")), key: key)
            var items = try await client.watch().makeAsyncIterator()
            #expect(try await items.next() != nil, "the first item is the start")
            await client.close()
            _ = await running.daemon.stop()
        }

        @Test("The client in Python calls with a key over TLS and at a Unix socket", .enabled(if: Python.path != nil))
        func python() async throws {
            let running = try await Running()
            let made = try await running.operating(["key", "create", "python", "--role", "verify"])
            let file = try running.tls.folder.write(made.out, to: "python.key")
            let script = """
                import sys
                sys.path.insert(0, sys.argv[1])
                from assay_client import CallError, Client, PURPOSE_ASSERT
                key = open(sys.argv[4]).read().strip()
                for address, credentials in (sys.argv[2], (sys.argv[5],)), (sys.argv[3], None):
                    with Client(address, credentials, key=key) as assay:
                        assert len(assay.issue_challenge("camera", PURPOSE_ASSERT).challenge) > 0
                    try:
                        with Client(address, credentials, key="assay_" + "A" * 43) as assay:
                            assay.issue_challenge("camera", PURPOSE_ASSERT)
                        raise SystemExit("an unknown key was taken")
                    except CallError as error:
                        assert (error.code, error.reason) == ("UNAUTHENTICATED", "credential_refused"), error
                print("done")
                """
            let run = try await Child(
                try #require(Python.path),
                [
                    "-B", "-c", script, Package.path("examples/python"), try running.daemon.address("tls"), running.socket,
                    file,
                    running.tls.folder.file("server-ca.pem"),
                ]
            ).ending()
            #expect(run.status == 0 && run.out == "done\n", "\(run)")
            _ = await running.daemon.stop()
        }
    }
}
