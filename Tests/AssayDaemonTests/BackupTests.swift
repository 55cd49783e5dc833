import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssaySQLite
import AssaySimulator
import CSQLite
import Foundation
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Backup and restore")
    struct BackupTests {
        private let home: TestHome
        private var ledger: String { home.folder.file("ledger.sqlite") }
        private var backup: String { home.folder.file("backup.db") }

        init() throws { home = try TestHome() }

        private func assayd(_ command: String, _ file: String, _ arguments: String...) async throws -> Child.Ending {
            try await Child.run("assayd", [command, file, "--config", home.configuration] + arguments)
        }

        private static func object(_ text: String) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        /// Callers that go on until it is done.
        private final class Load: Sendable {
            let isDone = Atomic(false)
        }

        /// Registers a phone with a daemon that is stopped afterwards.
        private func registered() async throws -> TestPhone {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            await client.close()
            #expect(await daemon.stop().status == 0)
            return phone
        }

        private func removeLedger() {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: ledger + suffix) }
        }

        /// Makes a ledger so large that copying it takes a while.
        private func enlarge(by bytes: Int) throws {
            var handle: OpaquePointer?
            try #require(sqlite3_open_v2(ledger, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
            defer { sqlite3_close_v2(handle) }
            for number in 0..<8 {
                let sql =
                    "INSERT INTO audit_claims VALUES (\(1_000_000 + number), NULL, 'camera', x'', randomblob(\(bytes / 8)))"
                try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
            }
        }

        @Test("A backup under load is whole, and restored it knows what was accepted before it and no challenge")
        func underLoad() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var early = home.phone()
            #expect(try await early.register(client).outcome == "accepted")
            let unspent = try await early.challenge(.assert, client)
            let spent = try early.upload(try await early.challenge(.assert, client))
            #expect(try await client.patiently(spent).outcome == "accepted")
            let before = try await client.status(timeout: TestPhone.patience).audit.count
            let load = Load()
            let ending = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { [home] in
                        var phone = home.phone()
                        guard try await phone.register(client).outcome == "accepted" else { return }
                        while !load.isDone.load(ordering: .relaxed) { _ = try await phone.upload(client) }
                    }
                }
                let ending = try await assayd("backup", backup, "--json")
                // One record at least is newer than the backup, however slow the others are.
                #expect(try await home.phone().register(client).outcome == "accepted")
                load.isDone.store(true, ordering: .relaxed)
                try await group.waitForAll()
                return ending
            }
            #expect(ending.status == 0, "\(ending)")
            let after = try await client.status(timeout: TestPhone.patience).audit.count
            let told = try Self.object(ending.out)
            let records = try #require(told["audit_records"] as? Int64)
            #expect(before <= records && records < after && told["key_opens"] as? Bool == true, "\(before) \(after) \(ending)")
            let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let head = try #require(told["audit_head"] as? String)
            let verified = try await Child.run("assayd", ["audit", "verify", backup, "--expect-head", head])
            #expect(verified.status == 0, "\(verified)")
            let again = try await assayd("backup", backup)
            #expect(again.status == 69 && again.err.contains("exists already"), "\(again)")
            let busy = try await assayd("restore", backup)
            #expect(busy.status == 69 && busy.err.contains("is in use by process \(daemon.child.pid) "), "\(busy)")
            await client.close()
            #expect(await daemon.stop().status == 0)

            let full = try await assayd("restore", backup)
            #expect(full.status == 69 && full.err.contains("is not empty"), "\(full)")
            removeLedger()
            let restored = try await assayd("restore", backup)
            #expect(restored.status == 0, "\(restored)")
            #expect(restored.out.contains("  audit head \(head)\n") && restored.out.contains("ledger.sqlite.key opens it\n"))
            #expect(
                restored.out.contains("  lost       everything after ")
                    && restored.out.contains("keys are removed") != restored.out.contains("key is removed"))
            let second = try await TestDaemon(home)
            let later = try await second.connect()
            let known = try await later.device(keyID: early.key.keyID, app: early.app, timeout: TestPhone.patience)
            #expect(known.counter >= early.key.counter)
            #expect(try await later.patiently(spent).outcome != "accepted")
            #expect(try await later.patiently(try early.upload(unspent)).outcome == "challenge_invalid")
            #expect(try await early.upload(later).outcome == "accepted")
            await later.close()
            #expect(await second.stop().status == 0)
        }

        @Test("A backup that is killed at any instant leaves no file or a whole one, and the next one succeeds")
        func killedBackup() async throws {
            _ = try await registered()
            try enlarge(by: 60_000_000)
            var interrupted = 0
            let arguments = ["backup", backup, "--config", home.configuration]
            for round in 0..<12 {
                let child = try Child(try Child.built("assayd"), arguments)
                // The draft is there from the beginning of the copy to the end of its verification.
                while child.isRunning, !FileManager.default.fileExists(atPath: backup + ".part") { usleep(500) }
                usleep(UInt32(round) * 15_000)
                child.signal(SIGKILL)
                _ = await child.ending()
                if FileManager.default.fileExists(atPath: backup) {
                    #expect(try await Child.run("assayd", ["audit", "verify", backup]).status == 0)
                    try FileManager.default.removeItem(atPath: backup)
                } else {
                    interrupted += 1
                }
            }
            #expect(interrupted > 0)
            #expect(try await assayd("backup", backup).status == 0)
            #expect(!FileManager.default.fileExists(atPath: backup + ".part"))
            let daemon = try await TestDaemon(home)
            #expect(await daemon.stop().status == 0)
        }

        @Test("A restore that is killed at any instant leaves an empty store or a prepared ledger, and the next one succeeds")
        func killedRestore() async throws {
            let phone = try await registered()
            try enlarge(by: 60_000_000)
            #expect(try await assayd("backup", backup).status == 0)
            var interrupted = 0
            for round in 0..<12 {
                removeLedger()
                let child = try Child(try Child.built("assayd"), ["restore", backup, "--config", home.configuration])
                // It is made empty, with the lock; a draft may be left by the round before.
                while child.isRunning, !FileManager.default.fileExists(atPath: ledger) { usleep(500) }
                usleep(UInt32(round) * 20_000)
                child.signal(SIGKILL)
                _ = await child.ending()
                let size = try FileManager.default.attributesOfItem(atPath: ledger)[.size] as? NSNumber
                if size?.intValue == 0 {
                    interrupted += 1
                } else {
                    let opened = try SQLiteLedger.open(path: ledger)
                    #expect(!(try await opened.secrets()).contains { $0.name == "challenge" }, "no challenge key has survived")
                    opened.close()
                }
            }
            #expect(interrupted > 0)
            removeLedger()
            #expect(try await assayd("restore", backup).status == 0)
            #expect(!FileManager.default.fileExists(atPath: ledger + ".restore"))
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            #expect(try await client.device(keyID: phone.key.keyID, app: phone.app, timeout: TestPhone.patience).counter == 0)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A key file of another ledger is told by the backup, and refused by the restore")
        func wrongKey() async throws {
            _ = try await registered()
            let other = try home.folder.write([UInt8](repeating: 9, count: 32), to: "other.key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
            let warned = try await assayd("backup", backup, "--key-file", other)
            #expect(warned.status == 1 && warned.out.contains("\(other) does NOT open it"), "\(warned)")
            removeLedger()
            let refused = try await assayd("restore", backup, "--key-file", other)
            #expect(refused.status == 69 && refused.err.contains("it belongs to another ledger"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: ledger))
            let unknown = try await assayd("restore", backup, "--key-file", home.folder.file("no.key"))
            #expect(unknown.status == 0 && unknown.out.contains("no.key, which was not compared: "), "\(unknown)")
            let daemon = try await TestDaemon(home)
            #expect(await daemon.stop().status == 0)
        }

        @Test("A damaged backup, one that others can read, and a missing one are refused, and the store stays empty")
        func refused() async throws {
            _ = try await registered()
            #expect(try await assayd("backup", backup).status == 0)
            removeLedger()
            func refusal(_ file: String) async throws -> String {
                let ending = try await assayd("restore", file)
                #expect(ending.status == 69 && ending.out.isEmpty, "\(ending)")
                #expect(!FileManager.default.fileExists(atPath: ledger), "\(ending)")
                return ending.err
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: backup)
            #expect(try await refusal(backup).contains("(mode 0640)"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: backup)
            #expect(try await refusal(home.folder.file("no.db")).contains("there is no such file"))
            let whole = try Data(contentsOf: URL(fileURLWithPath: backup))
            for page in [1, whole.count / 4096 / 2, whole.count / 4096 - 1] {
                var bytes = whole
                for index in 0..<24 { bytes[page * 4096 + index] ^= 0x55 }
                try bytes.write(to: URL(fileURLWithPath: backup))
                #expect(try await refusal(backup).contains("the backup \(backup) is damaged"), "page \(page)")
            }
            try whole.write(to: URL(fileURLWithPath: backup))
            #expect(try await assayd("restore", backup).status == 0)
        }

        @Test("A ledger that is missing, or a folder that cannot be written, gives no backup and leaves no file")
        func impossible() async throws {
            let missing = try await assayd("backup", backup)
            #expect(missing.status == 69 && missing.err.contains("there is no such file"), "\(missing)")
            #expect(
                !FileManager.default.fileExists(atPath: backup + ".part") && !FileManager.default.fileExists(atPath: ledger))
            let nowhere = try await assayd("backup", home.folder.file("nowhere/backup.db"))
            #expect(nowhere.status == 69 && nowhere.err.contains("cannot be made"), "\(nowhere)")
            let unusable = try await Child.run("assayd", ["restore", backup, "--config", home.folder.file("no.yaml")])
            #expect(unusable.status == 65, "\(unusable)")
        }
    }
}
