import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The example client in Python, with a daemon.
    @Suite("Python example", .enabled(if: Python.path != nil))
    struct PythonExampleTests {
        private let program = Package.path("examples/python/example.py")

        private func python(
            _ arguments: [String], server: String, environment: [String: String] = [:]
        ) async throws -> Child.Ending {
            try await Child(
                try #require(Python.path), ["-B", program, "--server", server] + arguments, environment: environment
            ).ending()
        }

        @Test("The client shows its certificate over TLS, and has the rights of its name")
        func tls() async throws {
            let tls = try TLSHome()
            let daemon = try await TestDaemon(tls.home)
            let address = try daemon.address("tls")
            func environment(_ files: (ca: String, certificate: String, key: String)) -> [String: String] {
                ["ASSAY_TLS_CA": files.ca, "ASSAY_TLS_CERT": files.certificate, "ASSAY_TLS_KEY": files.key]
            }
            let monitoring = environment(try tls.files(.dns(TLSHome.monitoring)))
            let status = try await python(["status"], server: address, environment: monitoring)
            #expect(status.status == 0, "\(status)")
            let ask = ["challenge", "--app", "camera", "--purpose", "assert"]
            #expect(try await python(ask, server: address, environment: monitoring).status == 77)
            let uploads = environment(try tls.files(.uri(TLSHome.uploads)))
            #expect(try await python(ask, server: address, environment: uploads).status == 0)

            let foreign = environment(try tls.files(.dns(TLSHome.monitoring), from: TestTLSAuthority()))
            let refused = try await python(["status"], server: address, environment: foreign)
            #expect(refused.status == 69 && refused.err.contains("unknown ca"), "\(refused)")
            let deceived = environment(try tls.files(.dns(TLSHome.monitoring), trusting: "caller-ca.pem"))
            #expect(try await python(["status"], server: address, environment: deceived).status == 69)
            #expect(try await python(["status"], server: address).status == 65)
            #expect(await daemon.stop().status == 0)
        }

        @Test("The client has help, and reports wrong usage")
        func help() async throws {
            let help = try await python(["--help"], server: "")
            #expect(help.status == 0)
            for word in ["status", "challenge", "verify", "demo", "ASSAY_SERVER", "Exit status"] {
                #expect(help.out.contains(word))
            }
            for command in ["status", "challenge", "verify", "demo"] {
                #expect(try await python([command, "--help"], server: "").status == 0)
            }
            #expect(try await python([], server: "").status == 64)
            #expect(try await python(["challenge", "--app", "a", "--purpose", "borrow"], server: "").status == 64)
            #expect(try await python(["status"], server: "somewhere").status == 65)
            let unanswered = try await python(["status"], server: "127.0.0.1:1")
            #expect(unanswered.status == 69)
            #expect(unanswered.err.hasPrefix("example.py: UNAVAILABLE (connect_failed): 127.0.0.1:1: "), "\(unanswered)")
        }

        @Test("The client for certificates has help, and reports wrong usage", .enabled(if: Python.knowsCertificates))
        func provisioningHelp() async throws {
            let program = Package.path("examples/python/provision.py")
            func python(_ arguments: String...) async throws -> Child.Ending {
                try await Child(try #require(Python.path), ["-B", program] + arguments).ending()
            }
            let help = try await python("--help")
            #expect(help.status == 0 && help.out.contains("--enrol") && help.out.contains("Exit status"), "\(help)")
            #expect(try await python("--app", "a").status == 64)
            #expect(try await python("--app", "a", "--serial", "s", "--enrol", "--token", "t").status == 64)
            let unanswered = try await python("--server", "127.0.0.1:1", "--app", "a", "--serial", "s")
            #expect(unanswered.status == 69 && unanswered.err.hasPrefix("provision.py: UNAVAILABLE"), "\(unanswered)")
        }

        @Test("A virtual phone registers and uploads, over TCP and over a Unix socket")
        func wholeWay() async throws {
            let home = try TestHome(
                listen: ["tcp: 127.0.0.1:0", "unix: assay.sock"],
                callers:
                    "{loopback_demo: true, known: [{name: python, unix_user: \(getuid()), roles: [verify, devices, observe], apps: all}]}"
            )
            let phone = home.folder.file("phone")
            #expect(try await Child.run("assay", ["simulate", "phone", phone, "--app-id", TestHome.appID]).status == 0)
            try home.folder.write(
                home.folder.text("assayd.yaml").replacing("[root.pem]", with: "[phone/root.pem]"), to: "assayd.yaml")
            let daemon = try await TestDaemon(home, addresses: 2)
            let tcp = String(try daemon.address("tcp").dropFirst("tcp:".count))

            let demo = try await python(
                ["demo", phone, "--app", "camera", "--assay", try Child.built("assay")], server: tcp)
            #expect(demo.status == 0, "\(demo)")
            #expect(demo.lines.count(where: { $0 == "ACCEPTED  assurance secure_element  [simulated]" }) == 2)
            #expect(demo.out.contains("-- the record's counter is 1\n"))
            #expect(demo.out.contains("  store    1 devices, 3 audit records\n"))

            // Files, one step at a time.
            let unix = try daemon.address("unix")
            let issued = try await python(
                ["challenge", "--app", "camera", "--purpose", "assert", "--context", "alice"], server: unix)
            let challenge = issued.out.trimmingCharacters(in: .newlines)
            #expect(Base64.url.decode(challenge)?.count == 54)
            let photo = try home.folder.write("a photo", to: "photo")
            let evidence = home.folder.file("assertion.cbor")
            let signed = try await Child.run(
                "assay", ["simulate", "assert", phone, "--challenge", challenge, "--payload", photo, "--out", evidence])
            let keyID = try #require(signed.lines.first?.words.last)
            let verify = [
                "verify", "--app", "camera", "--purpose", "assert", "--challenge=" + challenge, "--key-id", keyID, "--payload",
                photo, "--context", "alice", "--assertion", evidence,
            ]
            let accepted = try await python(verify + ["--idempotency-key", "upload 1"], server: unix)
            #expect(accepted.status == 0, "\(accepted)")
            let repeated = try await python(verify + ["--idempotency-key", "upload 1"], server: unix)
            #expect(repeated.status == 0)
            #expect(repeated.out.contains("do not act twice"))
            let replayed = try await python(verify, server: unix)
            #expect(replayed.status == 1)
            #expect(replayed.out.hasPrefix("REJECTED  counter_not_increasing (check "))
            // Errors of the call, not rejections.
            let unknown = try await python(["challenge", "--app", "camra", "--purpose", "assert"], server: unix)
            #expect(unknown.status == 65 && unknown.err.hasPrefix("example.py: NOT_FOUND (unknown_app): unknown app: "))
            #expect(unknown.err.hasSuffix("; did you mean \"camera\"?\n"), "\(unknown)")
            let tooLong = try await python(
                ["challenge", "--app", "camera", "--purpose", "assert", "--context", String(repeating: "x", count: 65)],
                server: unix)
            #expect(tooLong.status == 65)
            #expect(tooLong.err.hasPrefix("example.py: INVALID_ARGUMENT (invalid_request): "))
            #expect(try await python(["status"], server: unix).status == 0)
            #expect(await daemon.stop().status == 0)
        }

        /// Features beyond the example that a client needs: a script checks them with the daemon.
        @Test("The client keeps deadlines, pings, and handles GoAway")
        func client() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let script = """
                import os, signal, socket, struct, sys, threading, time
                sys.path.insert(0, \(Self.quoted(Package.path("examples/python"))))
                from assay_client import CallError, Client, Frame, PURPOSE_ASSERT, StatusRequest, StatusResponse

                address, pid = sys.argv[1], int(sys.argv[2])

                def error(work):
                    try:
                        work()
                    except CallError as error:
                        return error
                    raise SystemExit("nothing was raised")

                with Client.connect(address) as client:
                    assert 0 <= client.ping() < 60
                    # Calls, errors and pings on one connection.
                    for _ in range(50):
                        assert len(client.issue_challenge("camera", PURPOSE_ASSERT).challenge) == 54
                        client.ping()
                    failed = error(lambda: client.call("/assay.v1.Nothing/Do", StatusRequest(), StatusResponse))
                    assert (failed.code, failed.reason, failed.begun) == ("UNIMPLEMENTED", "unknown_method", False)
                    assert client.status().store.available

                # A server that says nothing: the deadline is kept here, and Cancel is sent.
                silent = socket.create_server(("127.0.0.1", 0))
                with Client.connect("127.0.0.1:%d" % silent.getsockname()[1]) as client:
                    other, _ = silent.accept()
                    failed = error(lambda: client.status(timeout=0.2))
                    assert (failed.code, failed.begun) == ("DEADLINE_EXCEEDED", None)
                    said = b""
                    other.settimeout(60)
                    kinds = []
                    while len(kinds) < 2:
                        said += other.recv(65536)
                        kinds = []
                        rest = said
                        while len(rest) >= 4 and len(rest) >= 4 + struct.unpack(">I", rest[:4])[0]:
                            end = 4 + struct.unpack(">I", rest[:4])[0]
                            kinds.append(Frame.FromString(rest[4:end]))
                            rest = rest[end:]
                    assert [kind.WhichOneof("kind") for kind in kinds] == ["call", "cancel"]
                    assert kinds[0].call_id == kinds[1].call_id == 1
                    assert kinds[0].call.timeout_ms == 200
                    # Then: a late reply, an unknown kind and a ping come before the reply that is waited for, byte by byte.
                    def framed(body):
                        return struct.pack(">I", len(body)) + body
                    late = Frame(call_id=1, reply={}).SerializeToString()
                    unknown = bytes([0x9A, 0x06, 0x00])
                    ping = Frame(ping={}).SerializeToString()
                    reply = Frame(call_id=2, reply={"message": StatusResponse(version="x").SerializeToString()})
                    def answer():
                        other.recv(65536)
                        for byte in b"".join(map(framed, (late, unknown, ping, reply.SerializeToString()))):
                            other.send(bytes([byte]))
                    threading.Thread(target=answer, daemon=True).start()
                    assert client.status().version == "x"

                # A fault, and what the daemon says to it. The next call goes over a new connection.
                with Client.connect(address) as client:
                    client._socket.sendall(b"\\0\\0\\0\\0")
                    deadline = time.monotonic() + 60
                    client._take(client._receive(deadline), deadline)
                    assert client._go_away == "empty_frame"
                    assert client.status().store.available

                # The daemon stops.
                with Client.connect(address, tries=1) as client:
                    client.ping()
                    os.kill(pid, signal.SIGTERM)
                    failed = error(lambda: [client.status() for _ in range(1000000)])
                    assert (failed.code, failed.begun) == ("UNAVAILABLE", False), str(failed)
                print("good")
                """
            let path = try home.folder.write(script, to: "check.py")
            let tcp = String(try daemon.address("tcp").dropFirst("tcp:".count))
            let ending = try await Child(try #require(Python.path), ["-B", path, tcp, "\(daemon.child.pid)"]).ending()
            #expect(ending.out == "good\n", "\(ending)")
            #expect(ending.status == 0)
            #expect(await daemon.child.ending().status == 0)
        }

        @Test("The client reconnects after GoAway, repeats only unprocessed calls, and sends all kinds of evidence")
        func repetition() async throws {
            let script = Package.path("examples/python/test_assay_client.py")
            let ending = try await Child(try #require(Python.path), ["-B", script]).ending()
            #expect(ending.out == "good\n", "\(ending)")
            #expect(ending.status == 0)
        }

        @Test("A virtual Android device registers and uploads")
        func android() async throws {
            let home = try TestHome()
            let device = home.folder.file("android")
            let make = ["simulate", "android", "make", device, "--package", TestAndroid.package]
            let signer = Hex.encode(TestAndroid.signer)
            #expect(try await Child.run("assay", make + ["--signer", "hex:" + signer, "--level", "strongbox"]).status == 0)
            let section =
                "android: {packages: [{name: \(TestAndroid.package), signers: [\(signer)]}], revocation: {source: none}}"
            try home.folder.write(
                home.folder.text("assayd.yaml").replacing("[root.pem]", with: "[root.pem, android/root.pem]")
                    .replacing("camera: {", with: "camera: {\(section), "), to: "assayd.yaml")
            let daemon = try await TestDaemon(home)
            let tcp = String(try daemon.address("tcp").dropFirst("tcp:".count))

            let demo = try await python(
                ["demo", device, "--app", "camera", "--assay", try Child.built("assay")], server: tcp)
            #expect(demo.status == 0, "\(demo)")
            #expect(demo.lines.count(where: { $0 == "ACCEPTED  assurance secure_element  [simulated]" }) == 2)
            #expect(demo.out.contains("  claim   algorithm = ecdsa-p256-sha256\n"))
            #expect(await daemon.stop().status == 0)
        }

        private static func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }
    }
}
