import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assay bench")
    struct BenchCommandTests {
        /// A daemon of `assayd dev`, with its virtual devices.
        private struct Dev {
            let child: Child
            let folder: String
            let framed: String
            let http: String

            func stop() async {
                child.signal(SIGINT)
                _ = await child.ending()
            }
        }

        private let place: TemporaryFolder

        init() throws { place = try TemporaryFolder() }

        private func start() async throws -> Dev {
            let child = try Child(
                try Child.built("assayd"), ["dev", "--port", "0", "--log-level", "error"], environment: ["TMPDIR": place.path],
                within: .seconds(1500))
            try await eventually("it listens") {
                try #require(child.isRunning, "\(child.out)\(child.err)")
                return child.out.contains("The log:\n")
            }
            func value(_ name: String) throws -> String {
                let line = try #require(child.out.split(separator: "\n").first { $0.hasPrefix("  \(name) ") })
                return String(try #require(line.split(separator: " ").dropFirst().first))
            }
            return Dev(child: child, folder: try value("folder"), framed: try value("framed"), http: try value("HTTP"))
        }

        /// A low rate, with patience for a busy machine.
        private func bench(_ server: String, _ words: [String]) async throws -> Child.Ending {
            let usual = ["--rate", "25", "--for", "2s", "--warm-up", "1s", "--devices", "60", "--timeout", "60s"]
            return try await Child.run("assay", ["bench", "--server", server, "--app", "photos"] + usual + words)
        }

        private func object(_ ending: Child.Ending) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any], "\(ending)")
        }

        @Test("A load is answered as expected: a table for people, JSON for tools, a plot")
        func load() async throws {
            let dev = try await start()
            let phone = ["--phone", dev.folder + "/phone-1"]
            let plot = place.file("latency.svg")
            let ending = try await bench(dev.framed, phone + ["--mix", "assertion=3,challenge=2", "--json", "--plot", plot])
            #expect(ending.status == 0 && ending.err.isEmpty, "\(ending)")
            let load = try object(ending)
            #expect(load["passed"] as? Bool == true && (load["failures"] as? [String])?.isEmpty == true)
            #expect(load["scheduled"] as? Int == 50 && load["sent"] as? Int == 50 && load["as_expected"] as? Int == 50)
            #expect(load["protocol"] as? String == "framed" && load["interrupted"] as? Bool == false)
            let operations = try #require(load["operations"] as? [[String: Any]])
            #expect(operations.map { $0["name"] as? String } == ["assertion", "challenge"])
            #expect(operations.map { $0["scheduled"] as? Int } == [30, 20])
            #expect(operations.map { $0["answers"] as? [String: Int] } == [["accepted": 30], ["issued": 20]])
            for operation in operations {
                let latency = try #require(operation["latency_ms"] as? [String: Double])
                let values = ["p50", "p90", "p99", "p999", "max"].compactMap { latency[$0] }
                #expect(values.count == 5 && values == values.sorted() && values[0] > 0, "\(latency)")
            }
            let ahead = try #require(load["challenges_ahead"] as? [String: Any])
            #expect((ahead["count"] as? Int ?? 0) >= 30, "each upload has a challenge of its own")
            let svg = try String(contentsOfFile: plot, encoding: .utf8)
            #expect(svg.hasPrefix("<svg ") && svg.components(separatedBy: "<polyline").count == 3)

            let text = try await bench(dev.framed, phone + ["--mix", "assertion", "--arrivals", "poisson", "--seed", "1"])
            #expect(text.status == 0 && text.out.contains("all was answered as expected"), "\(text)")
            #expect(text.lines.contains { $0.hasPrefix("assertion ") } && text.lines.contains { $0.hasPrefix("sent late by ") })
            #expect(!text.out.contains("\u{1B}"))
            await dev.stop()
        }

        @Test("Each front is loaded by the same command", arguments: ["framed", "connect", "json", "grpc"])
        func fronts(_ name: String) async throws {
            let dev = try await start()
            let words = ["--phone", dev.folder + "/phone-2", "--mix", "assertion=2,attestation=1,challenge=1", "--json"]
            let ending =
                name == "framed"
                ? try await bench(dev.framed, words) : try await bench(dev.http, words + ["--protocol", name])
            #expect(ending.status == 0, "\(ending)")
            let load = try object(ending)
            #expect(load["protocol"] as? String == name && load["as_expected"] as? Int == 50, "\(ending)")
            await dev.stop()
        }

        @Test(
            "Over TLS each front is loaded with the caller's certificate",
            arguments: [[], ["--http1"], ["--protocol", "json"], ["--protocol", "grpc"]])
        func tls(_ words: [String]) async throws {
            let home = try TLSHome(listen: ["tls: 127.0.0.1:0, protocol: http"])
            let daemon = try await TestDaemon(home.home)
            let address = try daemon.address("tls").replacing("tls:", with: "https://")
            let files = try home.files(.uri(TLSHome.uploads))
            // A phone of the authority that the daemon trusts.
            try FileManager.default.createDirectory(atPath: place.file("phone"), withIntermediateDirectories: false)
            try place.write(home.home.authority.saved, to: "phone/authority")
            let phone = try await made("phone", app: TestHome.appID)
            let ending = try await Child.run(
                "assay",
                [
                    "bench", "--server", address, "--tls-ca", files.ca, "--tls-cert", files.certificate, "--tls-key", files.key,
                    "--app", "camera", "--phone", phone, "--mix", "assertion=1,challenge=1", "--rate", "20", "--for", "1s",
                    "--warm-up", "0s", "--connections", "2", "--timeout", "60s", "--json",
                ] + words)
            #expect(ending.status == 0, "\(ending)")
            #expect(try object(ending)["as_expected"] as? Int == 20, "\(ending)")
            #expect(await daemon.stop().status == 0)
        }

        @Test("Android devices and cameras are loaded too")
        func otherDevices() async throws {
            let dev = try await start()
            let ending = try await bench(
                dev.framed,
                [
                    "--android", dev.folder + "/android", "--camera-app", "cameras", "--mix",
                    "key-signature=2,key-attestation=1,bundle=2", "--no-idempotency-keys", "--json",
                ])
            #expect(ending.status == 0, "\(ending)")
            let load = try object(ending)
            let operations = try #require(load["operations"] as? [[String: Any]])
            #expect(
                operations.map { $0["answers"] as? [String: Int] } == [["accepted": 20], ["accepted": 10], ["accepted": 20]])
            await dev.stop()
        }

        @Test("A request whose challenge becomes too old before its turn is made again")
        func shortChallenges() async throws {
            let home = try TestHome()
            let text = home.folder.text("assayd.yaml")
            try #require(text.contains("camera: {"))
            try home.folder.write(text.replacing("camera: {", with: "camera: {challenge: {ttl: 10s}, "), to: "assayd.yaml")
            let daemon = try await TestDaemon(home)
            try FileManager.default.createDirectory(atPath: place.file("phone"), withIntermediateDirectories: false)
            try place.write(home.authority.saved, to: "phone/authority")
            let phone = try await made("phone", app: TestHome.appID)
            // Each of 100 devices has its turn after 20 s.
            let ending = try await Child.run(
                "assay",
                [
                    "bench", "--app", "camera", "--phone", phone, "--rate", "5", "--for", "12s", "--warm-up", "0s", "--devices",
                    "100", "--json",
                ], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            #expect(ending.status == 0, "\(ending)")
            let load = try object(ending)
            #expect(load["as_expected"] as? Int == 60)
            let ahead = try #require(load["challenges_ahead"] as? [String: Any])
            #expect((ahead["count"] as? Int ?? 0) > 90, "60 for the calls, and those that were fetched again: \(ahead)")
            #expect(await daemon.stop().status == 0)
        }

        @Test("A bound that is exceeded fails the load and is named; a share that may fail does not")
        func bounds() async throws {
            let dev = try await start()
            let words = ["--mix", "challenge"]
            let slow = try await bench(dev.framed, words + ["--expect-p99", "1us"])
            #expect(slow.status == 1 && slow.out.contains("not as expected: challenge: p99 is "), "\(slow)")
            // One call in flight at a time, at a thousand a second: not all can be sent.
            let crowded = ["--rate", "1000", "--in-flight", "1", "--connections", "1"]
            let dropped = try await bench(dev.http, words + crowded + ["--json"])
            let load = try object(dropped)
            let operation = try #require((load["operations"] as? [[String: Any]])?.first)
            let notSent = try #require((operation["not_sent"] as? [String: Int])?["in_flight_limit"], "\(dropped)")
            #expect(load["scheduled"] as? Int == 2000 && load["sent"] as? Int == 2000 - notSent)
            #expect(dropped.status == 1 && notSent > 0, "\(dropped)")
            let allowed = try await bench(dev.http, words + crowded + ["--fail-over", "100%"])
            #expect(
                allowed.status == 0
                    && allowed.out.contains("not sent: as many calls as may (--in-flight 1) waited for an answer"), "\(allowed)"
            )
            await dev.stop()
        }

        @Test("The records of the load's devices are removed when that is asked for")
        func forget() async throws {
            let dev = try await start()
            func devices() async throws -> Int {
                let list = try await Child.run(
                    "assay", ["device", "list", "--app", "photos", "--json"], environment: ["ASSAY_SERVER": dev.framed])
                #expect(list.status == 0, "\(list)")
                return list.lines.count
            }
            let before = try await devices()
            let words = ["--phone", dev.folder + "/phone-1", "--mix", "assertion=1,attestation=1"]
            #expect(try await bench(dev.framed, words + ["--forget"]).status == 0)
            #expect(try await devices() == before)
            #expect(try await bench(dev.framed, words).status == 0)
            // 60 that upload; and what was registered while it ran: in 3 s half of 75 calls.
            #expect(try await devices() >= before + 60 + 37)
            await dev.stop()
        }

        @Test("Ctrl-C ends the load, and what was measured is printed")
        func interrupted() async throws {
            let dev = try await start()
            let child = try Child(
                try Child.built("assay"),
                [
                    "bench", "--server", dev.framed, "--app", "photos", "--mix", "challenge", "--rate", "50", "--for", "1h",
                    "--warm-up", "0s", "--json",
                ])
            try await eventually("it sends") {
                let top = try await Child.run(
                    "assay", ["top", "--once", "--json", "--interval", "0.3"], environment: ["ASSAY_SERVER": dev.framed])
                return top.out.contains("Attestation/IssueChallenge")
            }
            child.signal(SIGINT)
            let ending = await child.ending()
            #expect(ending.status == 1, "\(ending)")
            let load = try object(ending)
            #expect(
                load["interrupted"] as? Bool == true && load["failures"] as? [String] == ["it was interrupted"], "\(ending)")
            #expect((load["as_expected"] as? Int ?? 0) > 0)
            await dev.stop()
        }

        // MARK: Devices that are refused

        /// A virtual phone with an authority of its own.
        private func made(_ name: String, app: String) async throws -> String {
            let made = try await Child.run("assay", ["simulate", "phone", place.file(name), "--app-id", app])
            #expect(made.status == 0, "\(made)")
            return place.file(name)
        }

        @Test("An app that does not trust or accept virtual devices refuses the load, with what to do")
        func refused() async throws {
            let phone = try await made("phone", app: TestHome.appID)
            func end(_ configuration: String) async throws -> (ending: Child.Ending, reason: String?) {
                let home = try TestHome()
                try home.folder.write(
                    """
                    listen: [{tcp: 127.0.0.1:0}]
                    store: {path: ledger.sqlite}
                    callers: {loopback_demo: true}
                    \(configuration)
                    """, to: "assayd.yaml")
                let daemon = try await TestDaemon(home)
                let words = ["bench", "--app", "camera", "--phone", phone, "--for", "1s", "--json"]
                let ending = try await Child.run("assay", words, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
                #expect(await daemon.stop().status == 0)
                return (ending, try ending.failure()["reason"] as? String)
            }
            let app = "app_attest: {identities: [{app_id: \(TestHome.appID)}]}"
            let unknown = try await end("apps: {camera: {\(app)}}")
            #expect(unknown.ending.status == 78 && unknown.reason == "devices_refused", "\(unknown)")
            #expect(unknown.ending.err.contains("trust.test_roots: \(phone)/root.pem"), "\(unknown)")
            let known = try await end(
                """
                trust: {test_roots: [\(phone)/root.pem]}
                apps:
                  camera: {\(app)}
                  other: {app_attest: {identities: [{app_id: ABCDE12345.com.example.other}]}, accept_simulated: true}
                """)
            #expect(known.ending.status == 78 && known.reason == "devices_refused", "\(known)")
            #expect(known.ending.err.contains("accept_simulated: true"), "\(known)")
        }

        @Test("A caller that may not verify is told so before the load")
        func notPermitted() async throws {
            let home = try TestHome(
                listen: ["unix: daemon.sock"],
                callers: "{known: [{name: watch, unix_user: \(getuid()), roles: [observe], apps: [camera]}]}")
            let daemon = try await TestDaemon(home)
            let ending = try await Child.run(
                "assay", ["bench", "--app", "camera", "--phone", try await made("phone", app: TestHome.appID)],
                environment: ["ASSAY_SERVER": "unix:" + home.folder.file("daemon.sock")])
            #expect(ending.status == 77, "\(ending)")
            #expect(await daemon.stop().status == 0)
        }
    }
}
