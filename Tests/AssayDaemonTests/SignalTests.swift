import AssayAPI
import AssayClient
import AssayCore
import AssaySQLite
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Signals, log and clock of the daemon")
    struct SignalTests {
        @Test("SIGHUP reloads the file, a file with errors changes nothing and is logged, and SIGTERM still stops the daemon")
        func hangup() async throws {
            let home = try TestHome()
            try home.leaveTheDiskAlone()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            #expect(try await client.status().apps.map(\.app) == ["camera", "other"])
            let good = home.folder.text("assayd.yaml")
            try home.folder.write(good.replacing("  other:", with: "  third:") + "\nlog: {level: debug}\n", to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("the daemon says so") { try await client.status().apps.map(\.app) == ["camera", "third"] }
            // Logged when every part has the new one; the status shows it before.
            try await eventually("the daemon says so") { daemon.child.err.contains("configuration loaded") }

            try home.folder.write(good.replacing("callers:", with: "clalers:"), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("the daemon says so") { try await client.status().configuration.refusedAtUnixMs > 0 }
            #expect(try await client.status().apps.map(\.app) == ["camera", "third"])
            _ = try? await client.issueChallenge(app: try #require(AppID("unknown")), purpose: .assert)
            let shown = try await Child.run("assay", ["status", "--server", try daemon.address("tcp")])
            #expect(shown.status == 0 && shown.out.contains("refused a newer one") && shown.out.contains("clalers"))
            let server = ["--server", try daemon.address("tcp")]
            let checked = try await Child.run("assay", ["status", "--check"] + server)
            #expect(checked.status == 1 && checked.lines.count == 1 && checked.out.hasPrefix("reload_refused: "), "\(checked)")
            try home.folder.write(good, to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("the daemon says so") { try await client.status().configuration.refusedAtUnixMs == 0 }
            let well = try await Child.run("assay", ["status", "--check"] + server)
            #expect(well.status == 0 && well.out == "good\n", "\(well)")
            await client.close()
            let ending = await daemon.stop()
            #expect(try await Child.run("assay", ["status", "--check"] + server).status == 69, "no answer")
            #expect(ending.status == 0)
            #expect(ending.err.contains("clalers"), "\(ending)")
            #expect(ending.err.contains("a call was refused"), "the level of the log was exchanged too")
        }

        @Test("The log is JSON lines if requested, and the command line takes precedence over the file")
        func json() async throws {
            let home = try TestHome()
            let text = home.folder.text("assayd.yaml")
            try home.folder.write(text + "\nlog: {level: critical, format: text}\n", to: "assayd.yaml")
            let child = try Child(
                try Child.built("assayd"), ["--config", home.configuration, "--log-level", "info", "--log-format", "json"])
            try await eventually("the daemon says so") { child.err.contains("listening") }
            child.signal(SIGTERM)
            let ending = await child.ending()
            #expect(ending.status == 0)
            let lines = ending.err.split(separator: "\n")
            #expect(lines.count >= 3)
            for line in lines {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(object["time"] is String && object["level"] is String && object["message"] is String)
            }
        }

        @Test("At the level debug a service is named by its type, and not by what it holds")
        func serviceNames() async throws {
            let home = try TestHome()
            let child = try Child(
                try Child.built("assayd"), ["--config", home.configuration, "--log-level", "debug", "--log-format", "json"])
            try await eventually("the daemon says so") { child.err.contains("\"listening\"") }
            child.signal(SIGTERM)
            let ending = await child.ending()
            #expect(ending.status == 0)
            let names = try ending.err.split(separator: "\n").compactMap { line in
                try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["sl-service"] as? String
            }
            #expect(Set(names).isSuperset(of: ["ReloadOnHangup", "AnnouncedServer", "MaintenanceService"]), "\(names)")
            #expect(names.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber } }, "\(names)")
        }

        @Test("A clock behind the ledger exits with 71, unless the option says that it is right")
        func clock() async throws {
            let home = try TestHome()
            let first = try await TestDaemon(home)
            let client = try await first.connect()
            let phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            await client.close()
            #expect(await first.stop().status == 0)
            try await home.log(at: SystemClock().now().adding(milliseconds: 86_400_000))

            let refused = try await Child.run("assayd", ["--config", home.configuration])
            #expect(refused.status == 71)
            #expect(refused.err.contains("behind the ledger's last entry") && refused.err.contains("--accept-clock"))

            let child = try Child(try Child.built("assayd"), ["--config", home.configuration, "--accept-clock"])
            try await eventually("the daemon says so") { child.err.contains("listening") }
            child.signal(SIGTERM)
            #expect(await child.ending().status == 0)
        }

        @Test("After a restore one command invalidates earlier challenges")
        func restored() async throws {
            let home = try TestHome()
            let first = try await TestDaemon(home)
            let client = try await first.connect()
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let upload = try phone.upload(try await phone.challenge(.assert, client))
            await client.close()
            #expect(await first.stop().status == 0)

            let forgotten = try await Child.run("assayd", ["forget-challenges", "--config", home.configuration])
            #expect(forgotten.status == 0 && forgotten.out.contains("1 challenge key"), "\(forgotten)")
            let second = try await TestDaemon(home)
            let again = try await second.connect()
            #expect(try await again.patiently(upload).outcome == "challenge_invalid")
            #expect(try await phone.upload(again).outcome == "accepted")
            await again.close()
            #expect(await second.stop().status == 0)
            try home.folder.write("broken", to: "ledger.sqlite")
            #expect(try await Child.run("assayd", ["forget-challenges", "--config", home.configuration]).status == 69)
        }
    }
}
