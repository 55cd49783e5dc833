import AssayClient
import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assay top")
    struct TopCommandTests {
        private func assay(_ daemon: TestDaemon, _ words: [String]) async throws -> Child.Ending {
            try await Child.run(
                "assay", ["top"] + words, environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "100"])
        }

        @Test("--once prints the rates of an interval without control characters, and --json the same as numbers")
        func once() async throws {
            let home = try TestHome()
            try home.leaveTheDiskAlone()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = daemon.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let uploads = Task { [phone] in
                var phone = phone
                while !Task.isCancelled { _ = try await phone.upload(client) }
            }
            let text = try await assay(daemon, ["--once", "--interval", "1"])
            #expect(text.status == 0, "\(text.err)")
            #expect(text.lines.first?.hasPrefix("assayd ") == true)
            // The interval is a second, or more on a busy machine.
            let shown = try #require(text.lines.first?.components(separatedBy: "  ready  over ").last, "\(text)")
            #expect(try #require(Double(shown.prefix { $0.isNumber || $0 == "." }), "\(text)") >= 1)
            for part in ["Attestation/Verify", "Attestation/IssueChallenge", "prepare", "commit", "camera"] {
                #expect(text.out.contains(part), "\(part) in \(text.out)")
            }
            #expect(!text.out.contains("\u{1B}") && text.lines.allSatisfy { $0.count <= 100 })
            let json = try await assay(daemon, ["--once", "--json", "--interval", "1"])
            #expect(json.lines.count == 1)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
            #expect(object["ready"] as? Bool == true && (object["accepted"] as? Double ?? 0) > 0)
            let methods = try #require(object["methods"] as? [[String: Any]])
            let verify = try #require(methods.first { $0["name"] as? String == "/assay.v1.Attestation/Verify" })
            #expect((verify["p99_seconds"] as? Double ?? 0) >= (verify["p50_seconds"] as? Double ?? 1))
            let apps = try #require(object["apps"] as? [[String: Any]])
            #expect(apps.map { $0["app"] as? String } == ["camera"] && (apps.first?["mean_seconds"] as? Double ?? 0) > 0)
            uploads.cancel()
            _ = await uploads.result
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Into a pipe one view follows the other, until the daemon is gone")
        func pipe() async throws {
            let daemon = try await TestDaemon(try TestHome())
            let top = try Child(
                try Child.built("assay"), ["top", "--json", "--interval", "0.1"],
                environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            try await eventually("views follow each other") { top.out.split(separator: "\n").count >= 3 }
            #expect(await daemon.stop().status == 0)
            #expect(await top.ending().status == 69)
        }

        @Test(
            "On a terminal the view is redrawn in place, and Ctrl-C gives the screen back",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
        func terminal() async throws {
            let daemon = try await TestDaemon(try TestHome())
            let seen = daemon.home.folder.file("seen")
            let command =
                "\(try Child.built("assay")) top --interval 0.1 --server \(try daemon.address("tcp")) & "
                + "until [ -e \(seen) ]; do sleep 0.1; done; kill -INT $!; wait $!; echo ended $?"
            let script = try Child(
                "/usr/bin/script", ["-qec", "/bin/bash -mc '\(command)'", "/dev/null"], environment: ["TERM": "xterm"])
            try await eventually("it is redrawn") {
                try #require(script.isRunning, "\(script.out)")
                return script.out.components(separatedBy: "\u{1B}[H").count > 3
            }
            try daemon.home.folder.write("", to: "seen")
            let text = await script.ending().out
            #expect(text.contains("\u{1B}[?1049h") && text.contains("\u{1B}[?25l"))
            let end = try #require(text.range(of: "\u{1B}[?25h\u{1B}[?1049l"))
            #expect(text[end.upperBound...].contains("ended 0"), "\(text.suffix(300))")
            #expect(await daemon.stop().status == 0)
        }

        @Test("A caller that is limited to some apps may not read the metrics, and intervals out of range are wrong usage")
        func refused() async throws {
            let folder = try TemporaryFolder()
            let socket = folder.file("calls.sock")
            let home = try TestHome(
                listen: ["unix: \(socket)"],
                callers: "{known: [{name: watch, unix_user: \(getuid()), roles: [observe], apps: [camera]}]}", in: folder)
            let daemon = try await TestDaemon(home)
            let top = try await Child.run("assay", ["top", "--once"], environment: ["ASSAY_SERVER": "unix:\(socket)"])
            #expect(top.status == 77, "\(top.err)")
            #expect(try await Child.run("assay", ["top", "--interval", "0"], environment: [:]).status == 64)
            #expect(await daemon.stop().status == 0)
        }
    }
}
