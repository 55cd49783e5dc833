import AssayClient
import AssayCore
import AssayDaemon
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("The operations address of a daemon", .enabled(if: Curl.isInstalled, "curl is absent"))
    struct OperationsTests {
        @Test("The caller of the demo profile sees everything, and a reload that ends the profile leaves what is open")
        func open() async throws {
            let operations = try await OperationsHome("open: [probes]")
            #expect(try await Curl.get(operations.url + "/metrics").status == 200)
            #expect(try await Curl.get(operations.url + "/status").body.contains("\"version\""))
            let ready = try await Curl.get(operations.url + "/readyz", accept: "application/json")
            #expect(ready.status == 200 && ready.body.contains("\"ready\":true"))
            let format = try await Curl.get(operations.url + "/metrics", accept: "application/openmetrics-text; version=1.0.0")
            #expect(format.contentType.hasPrefix("application/openmetrics-text") && format.body.hasSuffix("# EOF\n"))
            await operations.end()
        }

        @Test("A peer that is no caller gets what is open, and a reload replaces that")
        func reload() async throws {
            let folder = try TemporaryFolder()
            let socket = folder.file("calls.sock")
            let home = try TestHome(
                listen: ["unix: \(socket)"], callers: "{known: [{name: a, unix_user: 4294967294, roles: [verify], apps: all}]}",
                more: "operate: {listen: [{tcp: 127.0.0.1:0}], open: [probes]}", in: folder)
            let daemon = try await TestDaemon(home)
            let url = "http://127.0.0.1:\(try await daemon.operationsPort())"
            #expect(try await Curl.get(url + "/readyz").body == "ready\n")
            #expect(try await Curl.get(url + "/metrics").status == 403)
            #expect(try await Curl.get(url + "/status").status == 403)
            let text = folder.text("assayd.yaml")
            try folder.write(text.replacing("open: [probes]", with: "open: [metrics]"), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("it is open") { try await Curl.get(url + "/metrics").status == 200 }
            #expect(try await Curl.get(url + "/readyz").status == 403)
            await daemon.stop()
        }

        @Test("Over TLS the names in the certificate decide, and a client without one gets what is open to the network")
        func tls() async throws {
            let tls = try TLSHome()
            try tls.folder.write(
                tls.folder.text("assayd.yaml") + "\noperate: {listen: [{tls: 127.0.0.1:0}], open_to_the_network: [probes]}\n",
                to: "assayd.yaml")
            let daemon = try await TestDaemon(tls.home)
            let port = try await daemon.operationsPort()
            let url = "https://127.0.0.1:\(port)"
            func get(_ path: String, _ files: (ca: String, certificate: String, key: String)?) async throws -> Curl.Answer {
                var options = ["--cacert", tls.folder.file("server-ca.pem")]
                if let files { options += ["--cert", files.certificate, "--key", files.key] }
                return try await Curl.get(url + path, options)
            }
            let monitoring = try tls.files(.dns(TLSHome.monitoring))
            #expect(try await get("/metrics", monitoring).status == 200)
            #expect(try await get("/status", monitoring).body.contains("\"version\""))
            #expect(try await get("/readyz", monitoring).body.hasPrefix("ready\n"))
            let uploads = try tls.files(.uri(TLSHome.uploads))
            #expect(try await get("/metrics", uploads).status == 403, "the role verify shows no metrics")
            #expect(try await get("/livez", uploads).body == "alive\n", "what is open to all is open to it")
            #expect(try await get("/livez", nil).body == "alive\n")
            #expect(try await get("/metrics", nil).status == 403)
            #expect(try await get("/status", nil).status == 403)
            let stranger = try tls.files(.dns(TLSHome.monitoring), from: TestTLSAuthority("another CA"))
            #expect(try await get("/metrics", stranger).status == 0, "a certificate from another CA is refused")

            // Nothing is open any more: the handshake demands a certificate. The callers' CA is exchanged at the same time.
            let text = tls.folder.text("assayd.yaml")
            try tls.folder.write(text.replacing(", open_to_the_network: [probes]", with: ""), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("it is closed") { try await get("/livez", nil).status == 0 }
            #expect(try await get("/metrics", monitoring).status == 200)
            await daemon.stop()
        }

        @Test("An API key shows over TLS what its role permits, without a certificate, until it is revoked")
        func keys() async throws {
            let place = try TemporaryFolder()
            let socket = place.file("assayd.sock")
            let tls = try TLSHome(listen: ["unix: \(socket)"], keys: "{roles: [verify, observe], apps: all}")
            try tls.folder.write(
                tls.folder.text("assayd.yaml") + "\noperate: {listen: [{tls: 127.0.0.1:0, client_certificates: optional}]}\n",
                to: "assayd.yaml")
            let daemon = try await TestDaemon(tls.home)
            let url = "https://127.0.0.1:\(try await daemon.operationsPort())"
            func get(_ path: String, _ key: String?) async throws -> Curl.Answer {
                try await Curl.get(
                    url + path,
                    ["--cacert", tls.folder.file("server-ca.pem")]
                        + (key.map { ["-H", "Authorization: Bearer \($0)"] } ?? []))
            }
            func create(_ name: String, _ role: String) async throws -> String {
                let made = try await Child.run(
                    "assay", ["key", "create", name, "--role", role, "--server", "unix:" + socket])
                try #require(made.status == 0, "\(made)")
                return made.out.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let (watching, uploading) = (try await create("prometheus", "observe"), try await create("uploads", "verify"))
            #expect(try await get("/metrics", watching).body.contains("assay_ready"))
            #expect(try await get("/status", watching).body.contains("\"version\""))
            #expect(try await get("/readyz", watching).body.hasPrefix("ready\n"))
            #expect(try await get("/metrics", uploading).status == 403, "the role verify shows no metrics")
            #expect(try await get("/metrics", nil).status == 403)
            #expect(try await get("/metrics", String(watching.dropLast()) + "x").status == 401)
            let revoked = try await Child.run(
                "assay", ["key", "revoke", "prometheus", "--server", "unix:" + socket])
            #expect(revoked.status == 0, "\(revoked)")
            #expect(try await get("/metrics", watching).status == 401)
            #expect(!daemon.child.err.contains(watching) && !daemon.child.out.contains(watching))
            await daemon.stop()
        }

        @Test("Hostile clients of the operations address do not delay verdicts")
        func hostile() async throws {
            let home = try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
                more: "operate: {listen: [{tcp: 127.0.0.1:0}], open: [probes, metrics]}")
            let daemon = try await TestDaemon(home)
            let port = try await daemon.operationsPort()
            let caller = HonestCaller(home: home) { try await daemon.connect() }
            let calm = try await caller.calm()
            let clients = Task.detached {
                var held: [PlainSocket] = []
                let request = Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                while !Task.isCancelled {
                    for kind in 0..<40 {
                        guard let socket = PlainSocket(port: port) else { continue }
                        switch kind % 4 {
                        case 0: break
                        case 1: socket.say(Array("GET /metrics HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 0x61, count: 4000))
                        case 2: socket.say((0..<20).flatMap { _ in request })
                        default: socket.say([0, 255, 13, 10] + request)
                        }
                        held.append(socket)
                    }
                    held.removeFirst(max(0, held.count - 400))
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            try await caller.isServed(during: "a flood at the operations address", calm: calm)
            clients.cancel()
            await clients.value
            #expect(try await Curl.get("http://127.0.0.1:\(port)/livez").status == 200)
            await daemon.stop()
        }
    }
}

extension TestDaemon {
    /// The port of the operations address, once the log names it.
    func operationsPort() async throws -> UInt16 {
        while child.isRunning {
            for word in child.err.split(whereSeparator: \.isWhitespace) where word.hasPrefix("operations=") {
                return try #require(word.split(separator: ":").last.flatMap { UInt16($0) })
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw DidNotStart(description: "assayd ended")
    }
}
