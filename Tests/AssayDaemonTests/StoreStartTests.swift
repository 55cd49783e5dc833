import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The files with which the daemon starts, and their loss while it runs.
    @Suite("Files of the store")
    struct StoreStartTests {
        private func mode(_ home: TestHome, _ mode: Int, _ file: String = "ledger.sqlite") throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: home.folder.file(file))
        }

        private func refused(_ home: TestHome, _ options: [String] = []) async throws -> String {
            let ending = try await Child.run("assayd", ["--config", home.configuration] + options)
            #expect(ending.status == 69, "\(ending)")
            return ending.err
        }

        /// Starts and stops the daemon.
        private func start(_ home: TestHome, _ options: [String] = []) async throws {
            let child = try Child(try Child.built("assayd"), ["--config", home.configuration] + options)
            while child.isRunning, !child.err.contains("listening") { try await Task.sleep(for: .milliseconds(20)) }
            child.signal(SIGTERM)
            let ending = await child.ending()
            #expect(ending.status == 0, "\(ending)")
        }

        @Test("A second daemon, and commands that need the ledger alone, exit and name the process that has it")
        func owner() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            #expect(try await refused(home).contains("is in use by process \(daemon.child.pid) ("))
            for command in ["forget-challenges", "new-ledger"] {
                let ending = try await Child.run("assayd", [command, "--config", home.configuration])
                #expect(ending.status == 69, "\(ending)")
                #expect(ending.err.contains("is in use by process \(daemon.child.pid) ("), "\(ending)")
                #expect(ending.err.contains("assayd --config"), "\(ending)")
            }
            // The owner continued, and its challenges are valid.
            #expect(try await home.phone().register(client).outcome == "accepted")
            let audit = try await Child.run("assayd", ["audit", "verify", home.folder.file("ledger.sqlite")])
            #expect(audit.status == 0, "\(audit)")
            await client.close()
            daemon.child.signal(SIGKILL)
            _ = await daemon.child.ending()
            try await start(home)
        }

        @Test("a daemon that has the ledger's file alone, mounted under another name, is a second owner and ends")
        func mountedAlone() async throws {
            let (home, other) = (try TestHome(), try TestHome())
            let daemon = try await TestDaemon(home)
            // With the key it would start, but for the owner.
            try FileManager.default.copyItem(
                atPath: home.folder.file("ledger.sqlite.key"), toPath: other.folder.file("ledger.sqlite.key"))
            try other.folder.write("", to: "ledger.sqlite")
            let mount = #"mount --bind "$0" "$1" || exit 42; shift; exec "$@""#
            let files = [home, other].map { $0.folder.file("ledger.sqlite") }
            func run(_ command: [String]) async throws -> Child.Ending {
                try await Child("/usr/bin/env", ["unshare", "-m", "/bin/sh", "-c", mount] + files + command).ending()
            }
            // Without the right to mount there is nothing to look at; AssaySQLiteTests go by a hard link.
            guard try await run(["true"]).status == 0 else { return }
            for command in [[], ["forget-challenges"]] {
                let ending = try await run([try Child.built("assayd")] + command + ["--config", other.configuration])
                #expect(ending.status == 69, "\(ending)")
                #expect(ending.err.contains("is in use by a process that has the same file under another name"), "\(ending)")
            }
            let client = try await daemon.connect()
            #expect(try await home.phone().register(client).outcome == "accepted")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test(
            "An empty ledger beside an existing key file requires an option, once",
            arguments: ["missing", "without tables", "without secrets"])
        func empty(_ how: String) async throws {
            let home = try TestHome()
            try await start(home)
            let path = home.folder.file("ledger.sqlite")
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            switch how {
            case "without tables":
                try home.folder.write("", to: "ledger.sqlite")
                try mode(home, 0o600)
            case "without secrets": try await home.log()
            default: break
            }
            for _ in 0..<2 {
                let told = try await refused(home)
                #expect(told.contains("is empty, but its key file"), "\(told)")
                #expect(told.contains("assayd new-ledger") && told.contains("--accept-new-ledger"), "\(told)")
            }
            if how == "missing" { #expect(!FileManager.default.fileExists(atPath: path), "nothing was made") }
            try await start(home, ["--accept-new-ledger"])
            try await start(home)
        }

        @Test("new-ledger makes a ledger for an existing key, and refuses one in use")
        func newLedger() async throws {
            let home = try TestHome()
            try home.folder.write([UInt8](repeating: 7, count: 32), to: "ledger.sqlite.key")
            try mode(home, 0o600, "ledger.sqlite.key")
            #expect(try await refused(home).contains("is empty, but its key file"))
            for _ in 0..<2 {
                let made = try await Child.run("assayd", ["new-ledger", "--config", home.configuration])
                #expect(made.status == 0 && made.out.contains("an empty ledger"), "\(made)")
            }
            try await start(home)
            let again = try await Child.run("assayd", ["new-ledger", "--config", home.configuration])
            #expect(again.status == 69 && again.err.contains("is in use already"), "\(again)")
            try await start(home)
        }

        @Test(
            "A ledger that other users may use requires an option", arguments: ["ledger.sqlite", "ledger.sqlite-wal"],
            [0o644, 0o660, 0o602])
        func wide(_ file: String, _ wide: Int) async throws {
            let home = try TestHome()
            try await start(home)
            if !FileManager.default.fileExists(atPath: home.folder.file(file)) { try home.folder.write("", to: file) }
            try mode(home, wide, file)
            let told = try await refused(home)
            #expect(told.contains("(mode 0\(String(wide, radix: 8)))") && told.contains("--accept-ledger-mode"), "\(told)")
            let forgetting = try await Child.run("assayd", ["forget-challenges", "--config", home.configuration])
            #expect(forgetting.status == 69 && forgetting.err.contains("chmod 600"), "\(forgetting)")
            try await start(home, ["--accept-ledger-mode"])
            try await start(home)
        }

        @Test("An audit log with a wrong end prevents the start")
        func auditEnd() async throws {
            let home = try TestHome()
            try await start(home)
            try await home.log(records: 20)
            let other = try await Child(
                "/usr/bin/env",
                ["sqlite3", home.folder.file("ledger.sqlite"), "UPDATE audit SET time = time + 1 WHERE number = 17"]
            ).ending()
            // Without sqlite3 only AssaySQLiteTests check this.
            guard other.status != 127 else { return }
            #expect(other.status == 0, "\(other)")
            let told = try await refused(home)
            #expect(told.contains("the ledger is damaged: audit record 17 (changed)"), "\(told)")
        }

        @Test(
            "A log removed under the daemon ends acceptance; a kill loses no acceptance, and no replay is accepted"
        )
        func removedLog() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let upload = try phone.upload(try await phone.challenge(.assert, client))
            #expect(try await client.patiently(upload).outcome == "accepted")
            let next = try phone.upload(try await phone.challenge(.assert, client))

            try FileManager.default.removeItem(atPath: home.folder.file("ledger.sqlite-wal"))
            for _ in 0..<3 {
                let error = await #expect(throws: AssayError.self) { try await client.patiently(next) }
                #expect(error?.code == .unavailable && error?.reason == "ledger_replaced")
            }
            let status = try await client.status().store
            #expect(!status.available && status.state == "replaced" && status.problem.contains("ledger.sqlite-wal was removed"))
            let shown = try await Child.run("assay", ["status", "--server", try daemon.address("tcp")])
            #expect(shown.status == 69 && shown.out.contains("store     replaced: "), "\(shown)")
            try await eventually("the log says so") {
                daemon.child.err.contains("nothing is accepted any more until the daemon is started anew")
            }
            await client.close()
            daemon.child.signal(SIGKILL)
            _ = await daemon.child.ending()

            let second = try await TestDaemon(home)
            let again = try await second.connect()
            #expect(try await again.status().store.state == "good")
            #expect(["counter_not_increasing", "challenge_reused"].contains(try await again.patiently(upload).outcome))
            #expect(try await again.patiently(try phone.upload(upload.challenge, counter: 1000)).outcome == "challenge_reused")
            // Rejected requests were not applied.
            #expect(try await again.patiently(next).outcome == "accepted")
            await again.close()
            #expect(await second.stop().status == 0)
        }
    }
}
