import AssayAPI
import AssayClient
import AssayCore
import AssayPostgres
import AssaySimulator
import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Three daemons on one PostgreSQL ledger: any of them answers as one would.
    @Suite("Daemons on one ledger", .needsServer)
    struct SharedLedgerTests {
        /// Whether a call was answered.
        private final class Answered: Sendable {
            private let flag = Atomic(false)
            var isMarked: Bool { flag.load(ordering: .sequentiallyConsistent) }
            func mark() { flag.store(true, ordering: .sequentiallyConsistent) }
        }

        /// Sends all requests at once, over two connections to each daemon, and counts the outcomes.
        private func race(_ requests: [VerificationRequest], _ daemons: [TestDaemon]) async throws -> [String: Int] {
            var clients: [AssayClient] = []
            for daemon in daemons + daemons { clients.append(try await daemon.connect()) }
            let outcomes = try await withThrowingTaskGroup(of: String.self) { [clients] group in
                for (index, request) in requests.enumerated() {
                    group.addTask { try await clients[index % clients.count].patiently(request).outcome }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            for client in clients { await client.close() }
            return outcomes
        }

        private func connected(_ daemons: [TestDaemon]) async throws -> [AssayClient] {
            var clients: [AssayClient] = []
            for daemon in daemons { clients.append(try await daemon.connect()) }
            return clients
        }

        @Test("A phone registers with one daemon, uploads to the others, and is blocked for all by any of them")
        func life() async throws {
            let shared = try SharedLedger(daemons: 3, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            var phone = shared.homes[0].phone()
            let registered = try await phone.register(clients[0])
            #expect(registered.outcome == "accepted")
            // A challenge of one daemon is spent at another.
            for (issuer, judge) in [(0, 1), (1, 2), (2, 0)] {
                let upload = try phone.upload(try await phone.challenge(.assert, clients[issuer]))
                let verdict = try await clients[judge].patiently(upload)
                #expect(verdict.outcome == "accepted" && verdict.deviceID == registered.deviceID)
                #expect(try await clients[issuer].patiently(upload).outcome != "accepted")
            }
            let device = try #require(DeviceID(bytes: Array(registered.deviceID)))
            _ = try await clients[1].block(.device(device), app: phone.app, reason: "stolen")
            for client in clients { #expect(try await phone.upload(client).outcome == "device_blocked") }
            _ = try await clients[2].unblock(.device(device), app: phone.app)
            for client in clients { #expect(try await phone.upload(client).outcome == "accepted") }
            // A running daemon keeps the keys of challenges for a while: none may run.
            #expect(await daemons[0].stop().status == 0)
            let refused = try await Child.run("assayd", ["forget-challenges", "--config", shared.homes[0].configuration])
            #expect(refused.status == 69 && refused.err.contains("is in use by daemon-2 ("), "\(refused)")
            for client in clients { await client.close() }
            for daemon in daemons.dropFirst() { #expect(await daemon.stop().status == 0) }
            let forgotten = try await Child.run("assayd", ["forget-challenges", "--config", shared.homes[0].configuration])
            #expect(forgotten.status == 0, "\(forgotten)")
            let verified = try await Child.run("assayd", ["audit", "verify", "--config", shared.homes[1].configuration])
            #expect(verified.status == 0, "\(verified)")
            for number in 1...3 { #expect(verified.out.contains("daemon-\(number)"), "\(verified)") }
            // All of it is there for a daemon that is started again.
            let again = try await TestDaemon(shared.homes[2])
            let client = try await again.connect()
            #expect(try await phone.upload(client).outcome == "accepted")
            await client.close()
            #expect(await again.stop().status == 0)
        }

        @Test("check-config finds a key file that does not fit, a lost ledger, and a writer that another daemon has")
        func check() async throws {
            let shared = try SharedLedger(daemons: 2, on: try TestServer.shared.get())
            let other = try SharedLedger(daemons: 1, on: try TestServer.shared.get())
            func failures(_ file: String) async throws -> [String] {
                let ending = try await Child.run("assayd", ["check-config", "--json", file])
                let object = try #require(JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
                let findings = object["findings"] as? [[String: Any]] ?? []
                return findings.filter { $0["severity"] as? String == "failure" }.map {
                    "\($0["code"] ?? ""): \($0["message"] ?? "")"
                }
            }
            let (file, key) = (shared.homes[0].configuration, shared.keyFile)
            #expect(try await failures(file) == [])
            let (daemon, stranger) = (try await TestDaemon(shared.homes[0]), try await TestDaemon(other.homes[0]))
            #expect(try await failures(file) == [], "as before a reload")
            #expect(try await failures(shared.homes[1].configuration) == [])
            let folder = shared.homes[1].folder
            try folder.write(
                folder.text("assayd.yaml").replacing("writer: daemon-2", with: "writer: daemon-1"), to: "taken.yaml")
            let taken = try await failures(folder.file("taken.yaml"))
            #expect(taken.count == 1 && taken[0].hasPrefix("ledger_database: "), "\(taken)")
            #expect(taken[0].contains("the writer \"daemon-1\" is in use by process "), "\(taken)")
            for running in [daemon, stranger] { #expect(await running.stop().status == 0) }

            let bytes = try Data(contentsOf: URL(filePath: key))
            try FileManager.default.removeItem(atPath: key)
            let missing = try await failures(file)
            #expect(missing.count == 1 && missing[0].hasPrefix("key_file: "), "\(missing)")
            #expect(missing[0].contains("is missing, but the ledger exists"), "\(missing)")
            try FileManager.default.copyItem(atPath: other.keyFile, toPath: key)
            #expect(try await failures(file) == ["key_file: \(key) belongs to another ledger"])
            let refused = try await Child.run("assayd", ["--config", file])
            #expect(refused.status == 69 && refused.err.contains("belongs to another ledger"), "\(refused)")
            let new = try SharedLedger(daemons: 1, on: try TestServer.shared.get())
            try bytes.write(to: URL(filePath: new.keyFile))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: new.keyFile)
            let lost = try await failures(new.homes[0].configuration)
            #expect(lost.count == 1 && lost[0].hasPrefix("ledger_missing: "), "\(lost)")
            let declared = try await Child.run("assayd", ["new-ledger", "--config", new.homes[0].configuration])
            #expect(declared.status == 0, "\(declared)")
            #expect(try await failures(new.homes[0].configuration) == [])
        }

        @Test("Three daemons start at once under a declaration and share the ledger; a lost database is refused by each")
        func declared() async throws {
            let shared = try SharedLedger(daemons: 3, on: try TestServer.shared.get())
            try Data(repeating: 7, count: 32).write(to: URL(filePath: shared.keyFile))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: shared.keyFile)
            let end = SystemClock().now().adding(milliseconds: 3_600_000)
            for home in shared.homes {
                let text = home.folder.text("assayd.yaml").replacing(
                    "folder: .,", with: "folder: ., new_ledger: {id: first, until: \(end)},")
                try home.folder.write(text, to: "assayd.yaml")
            }
            let daemons = try await withThrowingTaskGroup(of: TestDaemon.self) { group in
                for home in shared.homes { group.addTask { try await TestDaemon(home) } }
                return try await group.reduce(into: [TestDaemon]()) { $0.append($1) }
            }
            let clients = try await connected(daemons)
            var phone = shared.homes[0].phone()
            #expect(try await phone.register(clients[0]).outcome == "accepted")
            for client in clients { #expect(try await phone.upload(client).outcome == "accepted") }
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
            for home in shared.homes { #expect(home.folder.text("assay.ledgers").hasPrefix("made first ")) }
            // Another database in its place, which is empty.
            let other = try TestServer.shared.get().database()
            for home in shared.homes {
                let text = home.folder.text("assayd.yaml").replacing(
                    "database: \(shared.settings.database)", with: "database: \(other.database)")
                try home.folder.write(text, to: "assayd.yaml")
                // The marker alone, without what the daemon has acknowledged.
                try? FileManager.default.removeItem(atPath: home.folder.file("assay.acknowledged"))
                let refused = try await Child.run("assayd", ["--config", home.configuration])
                #expect(refused.status == 69, "\(refused)")
                #expect(refused.err.contains("a ledger was made under the id"), "\(refused)")
            }
        }

        @Test(
            "64 uploads race over two to four daemons for one challenge, and for one counter value: exactly one is accepted",
            arguments: 2...4)
        func races(_ count: Int) async throws {
            let shared = try SharedLedger(daemons: count, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            for round in 0..<3 {
                var phones: [TestPhone] = []
                for index in 0..<4 {
                    phones.append(shared.homes[0].phone())
                    #expect(try await phones.last?.register(clients[index % count]).outcome == "accepted")
                }
                let challenge = try await phones[0].challenge(.assert, clients[round % count])
                let outcomes = try await race(try (0..<64).map { try phones[$0 % 4].upload(challenge) }, daemons)
                #expect(outcomes["accepted"] == 1, "\(outcomes)")
                let known: Set = ["accepted", "challenge_reused", "challenge_attempts_exceeded"]
                #expect(known.isSuperset(of: outcomes.keys), "\(outcomes)")

                var phone = phones[0]
                var requests: [VerificationRequest] = []
                for index in 0..<64 {
                    let challenge = try await phone.challenge(.assert, clients[index % count])
                    requests.append(try phone.upload(challenge, counter: UInt32(1000 + round)))
                }
                #expect(try await race(requests, daemons) == ["accepted": 1, "counter_not_increasing": 63])
            }
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }

        @Test("While the database does not answer, verdicts are UNAVAILABLE before their deadline, and challenges are issued")
        func frozen() async throws {
            let own = try TestServer.ownServer()
            defer { own.remove() }
            let shared = try SharedLedger(daemons: 1, on: own)
            let daemon = try await shared.start()[0]
            let client = try await daemon.connect()
            var phone = shared.homes[0].phone()
            #expect(try await phone.register(client).outcome == "accepted")
            var requests: [VerificationRequest] = []
            for _ in 0..<4 { requests.append(try phone.upload(try await phone.challenge(.assert, client))) }
            let stopped = [try #require(own.processID)] + (try own.children())
            for process in stopped { kill(process, SIGSTOP) }
            defer { for process in stopped { kill(process, SIGCONT) } }
            let frozen = "unavailable ledger_unavailable"
            var reasons: [String: Int] = [:]
            // The client's own clock may be faster on a busy machine, and the daemon too late: then all are tried again.
            for _ in 0..<10 where reasons[frozen, default: 0] < 2 {
                // All deadlines are before the 3 s after which a commit has failed.
                reasons = await withTaskGroup(of: String.self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask {
                            do {
                                _ = try await client.verify(request, timeout: .milliseconds(1000 + 400 * index))
                                return "accepted"
                            } catch {
                                return (error as? AssayError).map { "\($0.code) \($0.reason)" } ?? "\(error)"
                            }
                        }
                    }
                    return await group.reduce(into: reasons) { $0[$1, default: 0] += 1 }
                }
            }
            #expect(reasons[frozen, default: 0] >= 2, "\(reasons)")
            #expect(Set(reasons.keys).isSubset(of: [frozen, "deadlineExceeded deadline_exceeded"]), "\(reasons)")
            _ = try await client.issueChallenge(app: phone.app, purpose: .assert, timeout: TestPhone.patience)
            for process in stopped { kill(process, SIGCONT) }
            try await eventually("it goes on by itself") {
                do {
                    let outcome = try await phone.upload(client).outcome
                    #expect(outcome == "accepted")
                    return true
                } catch let error as AssayError where error.code == .unavailable {
                    return false
                }
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A block that one daemon has answered holds at the others, while uploads race with it")
        func blocks() async throws {
            let shared = try SharedLedger(daemons: 2, on: try TestServer.shared.get())
            let daemons = try await shared.start()
            let clients = try await connected(daemons)
            for _ in 0..<10 {
                var phone = shared.homes[0].phone()
                let registered = try await phone.register(clients[0])
                let device = try #require(DeviceID(bytes: Array(registered.deviceID)))
                var requests: [VerificationRequest] = []
                for _ in 0..<24 { requests.append(try phone.upload(try await phone.challenge(.assert, clients[1]))) }
                let (blocked, app) = (Answered(), phone.app)
                let late = try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        _ = try await clients[0].block(.device(device), app: app, reason: "stolen")
                        blocked.mark()
                        return false
                    }
                    for request in requests {
                        group.addTask {
                            let wasBlocked = blocked.isMarked
                            return try await clients[1].patiently(request).outcome == "accepted" && wasBlocked
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(late == 0, "accepted after the block was answered")
                #expect(try await phone.upload(clients[1]).outcome == "device_blocked")
            }
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }
    }
}
