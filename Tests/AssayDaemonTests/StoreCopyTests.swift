import AssayAPI
import AssayClient
import AssayCore
import AssayPostgres
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Copy of a ledger into a database", .needsServer)
    struct StoreCopyTests {
        private let old: TestHome
        private let new: TestHome

        init() throws {
            old = try TestHome()
            let settings = try TestServer.shared.get().database()
            new = try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", authority: old.authority,
                store: """
                    {postgresql: {hosts: ["\(settings.hosts[0].name):\(settings.hosts[0].port)"], database: \(settings.database), \
                    user: \(settings.user), writer: one}, folder: ., key_file: \(old.folder.file("ledger.sqlite.key"))}
                    """)
        }

        private func copy(_ arguments: String...) async throws -> Child.Ending {
            try await Child.run(
                "assayd",
                ["store", "copy", "--from", "sqlite:" + old.folder.file("ledger.sqlite"), "--config", new.configuration]
                    + arguments)
        }

        private static func object(_ text: String) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        @Test("A ledger is copied beside its daemon, finished without it, and everything holds in the database")
        func life() async throws {
            var daemon = try await TestDaemon(old)
            var client = try await daemon.connect()
            var (phone, stolen) = (old.phone(), old.phone())
            #expect(try await phone.register(client).outcome == "accepted")
            let other = try await stolen.register(client)
            let device = try #require(DeviceID(bytes: Array(other.deviceID)))
            _ = try await client.block(.device(device), app: phone.app, reason: "stolen")
            let unspent = try await phone.challenge(.assert, client)
            var uploaded: [VerificationRequest] = []
            for _ in 0..<3 {
                uploaded.append(try phone.upload(try await phone.challenge(.assert, client)))
                #expect(try await client.patiently(uploaded[uploaded.count - 1]).outcome == "accepted")
            }

            let first = try await copy()
            #expect(first.status == 1 && first.out.contains("unfinished"), "\(first)")
            #expect(first.out.contains("equal to"))
            // A daemon does not open what lacks the uploads since.
            let early = try await Child.run("assayd", ["--config", new.configuration])
            #expect(early.status == 69 && early.err.contains("unfinished copy of another ledger"), "\(early)")

            // A challenge that was spent only after the copy began is spent in what the copy becomes.
            uploaded.append(try phone.upload(try await phone.challenge(.assert, client)))
            #expect(try await client.patiently(uploaded[3]).outcome == "accepted")
            let head = try await client.status().audit.head
            await client.close()
            #expect(await daemon.stop().status == 0)
            let second = try await copy("--json")
            let object = try Self.object(second.out)
            #expect(second.status == 0 && object["finished"] as? Bool == true, "\(second)")
            #expect(object["key_opens"] as? Bool == true && object["devices"] as? Int == 2)
            #expect((object["added"] as? Int ?? 0) > 0 && (object["added"] as? Int ?? 0) < (object["rows"] as? Int ?? 0))
            #expect((object["audit_head"] as? String ?? "").hasPrefix(Hex.encode(Array(head))), "\(object)")
            // The source is not copied over a ledger that is in use.
            let third = try await copy()
            #expect(third.status == 69 && third.err.contains("was used already"), "\(third)")
            let misnamed = try await copy("--writer", "A B")
            #expect(misnamed.status == 64 && misnamed.err.contains("\"A B\" is no name of a writer"), "\(misnamed)")

            daemon = try await TestDaemon(new)
            client = try await daemon.connect()
            #expect(try await client.status().store.devices == 2)
            for upload in uploaded { #expect(try await client.patiently(upload).outcome != "accepted") }
            #expect(try await client.patiently(try phone.upload(unspent)).outcome == "accepted", "issued before, and not spent")
            #expect(try await phone.upload(client).outcome == "accepted")
            #expect(try await stolen.upload(client).outcome == "device_blocked")
            #expect(try await old.phone().register(client).outcome == "accepted")
            #expect(try await client.status().store.devices == 3)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("An empty database is refused with the way to copy, and neither that start nor a declaration is in its way")
        func empty() async throws {
            let daemon = try await TestDaemon(old)
            let client = try await daemon.connect()
            #expect(try await old.phone().register(client).outcome == "accepted")
            await client.close()
            #expect(await daemon.stop().status == 0)
            let refused = try await Child.run("assayd", ["--config", new.configuration])
            #expect(refused.status == 69 && refused.err.contains("copy it: assayd store copy --from FILE"), "\(refused)")
            let found = try await Child.run("assayd", ["check-config", new.configuration])
            #expect(found.out.contains("copy it: assayd store copy --from FILE"), "\(found)")
            let declared = try await Child.run("assayd", ["new-ledger", "--config", new.configuration])
            #expect(declared.status == 0, "\(declared)")
            let copied = try await copy()
            #expect(copied.status == 0 && copied.out.contains("finished"), "\(copied)")
            let moved = try await TestDaemon(new)
            let caller = try await moved.connect()
            #expect(try await caller.status().store.devices == 1)
            await caller.close()
            #expect(await moved.stop().status == 0)
        }

        @Test("Another key file, a ledger that is not there, and a configuration without a database are refused")
        func refusals() async throws {
            let missing = try await copy()
            #expect(missing.status == 69 && missing.err.contains("No such file"), "\(missing)")
            let daemon = try await TestDaemon(old)
            #expect(await daemon.stop().status == 0)
            let key = old.folder.file("ledger.sqlite.key")
            try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
            try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: key))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let wrong = try await copy()
            #expect(wrong.status == 69 && wrong.err.contains("does not open the ledger"), "\(wrong)")
            let own = try await copy("--writer", "one")
            #expect(own.status == 69 && own.err.contains("is this daemon's own"), "\(own)")
            let file = try await Child.run(
                "assayd", ["store", "copy", "--from", old.folder.file("ledger.sqlite"), "--config", old.configuration])
            #expect(file.status == 69 && file.err.contains("use assayd backup and restore"), "\(file)")
        }
    }
}
