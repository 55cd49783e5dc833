import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import AssaySQLite
import AssayService
import AssaySimulator
import CFaultVFS
import CSQLite
import Foundation
import Logging
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// An accepted verdict is on disk.
@Suite("Durability", .timeLimit(.minutes(30)))
struct DurabilityTests {
    /// A daemon in this process, over a ledger whose disk can fail.
    final class FaultyDaemon: @unchecked Sendable {
        let home: TestHome
        /// Called from any thread.
        let faults: OpaquePointer
        let ledger: SQLiteLedger
        let server: RPCServer
        let client: AssayClient

        init() async throws {
            home = try TestHome()
            let name = "fault-\(UUID().uuidString)"
            faults = try #require(fault_vfs_create(name))
            let configuration = try Configuration.load(home.configuration)
            var options = LedgerOptions()
            options.vfs = name
            options.busyTimeout = 20
            ledger = try SQLiteLedger.open(path: configuration.store.name, options: options)
            let vault = SecretVault(key: try KeyFile.open(configuration.store.keyFile, mayCreate: true))
            let daemon = try await makeDaemon(configuration, ledger: ledger, vault: vault, logger: .silent)
            server = daemon.server
            client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        }

        /// Successful calls of fsync on the log.
        var syncs: Int64 { fault_vfs_syncs(faults, Int32(FAULT_WAL)) }

        func stop() async {
            await client.close()
            await server.stop()
            ledger.close()
            fault_vfs_destroy(faults)
        }
    }

    @Test("The daemon syncs between each request and its acceptance, and at no other time")
    func sync() async throws {
        let daemon = try await FaultyDaemon()
        var phone = daemon.home.phone()
        var before = daemon.syncs
        #expect(try await phone.register(daemon.client).outcome == "accepted")
        #expect(daemon.syncs > before)
        for _ in 0..<12 {
            let challenge = try await phone.challenge(.assert, daemon.client)
            let upload = try phone.upload(challenge)
            before = daemon.syncs
            let verdict = try await daemon.client.patiently(upload)
            let after = daemon.syncs
            #expect(verdict.outcome == "accepted")
            #expect(after > before)
            // A rejection and a challenge cause no write.
            #expect(try await daemon.client.patiently(upload).outcome == "counter_not_increasing")
            #expect(daemon.syncs == after)
        }
        await daemon.stop()
    }

    /// The disk's fault, and its end.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let begin: @Sendable (OpaquePointer) -> Void
        let end: @Sendable (OpaquePointer) -> Void
    }

    static let faults = [
        Fault(testDescription: "sync failing") {
            fault_vfs_fail_syncs($0, Int32(FAULT_ALL), SQLITE_IOERR | 4 << 8)
        } end: {
            fault_vfs_fail_syncs($0, Int32(FAULT_ALL), 0)
        },
        Fault(testDescription: "disk full") {
            fault_vfs_set_space($0, 0)
        } end: {
            fault_vfs_set_space($0, -1)
        },
        Fault(testDescription: "file system read-only") {
            fault_vfs_set_read_only($0, 1)
        } end: {
            fault_vfs_set_read_only($0, 0)
        },
    ]

    @Test(
        "While the disk fails the answer is UNAVAILABLE, never ACCEPTED, and requests are accepted again when it works",
        arguments: faults)
    func fault(_ fault: Fault) async throws {
        let daemon = try await FaultyDaemon()
        let client = daemon.client
        var phone = daemon.home.phone()
        #expect(try await phone.register(client).outcome == "accepted")
        let upload = try phone.upload(try await phone.challenge(.assert, client))
        let newcomer = daemon.home.phone()
        let enrolment = try newcomer.registration(try await newcomer.challenge(.register, client))

        fault.begin(daemon.faults)
        // More often than a challenge may be tried: an outage of the daemon costs the device no attempt.
        for _ in 0..<8 {
            for request in [upload, enrolment] {
                do {
                    let verdict = try await client.patiently(request)
                    Issue.record("\(verdict.outcome) while the disk fails")
                } catch let error as AssayError {
                    #expect(error.code == .unavailable)
                    #expect(error.reason == "ledger_unavailable")
                    #expect(error.retryAfterMilliseconds != nil)
                }
            }
        }
        // Issuing writes nothing.
        let meanwhile = try await phone.challenge(.assert, client)
        #expect(try await client.status().traffic.unavailable == 16)
        fault.end(daemon.faults)

        // Nothing was spent, or all of it was applied: then the challenge is spent and the device is known.
        for (request, key) in [(upload, phone.key), (enrolment, newcomer.key)] {
            let outcome = try await client.patiently(request).outcome
            if outcome != "accepted" {
                #expect(["counter_not_increasing", "challenge_reused"].contains(outcome))
            }
            let device = try await client.device(keyID: key.keyID, app: phone.app)
            #expect(device.counter == key.counter)
        }
        #expect(try await client.patiently(try phone.upload(meanwhile)).outcome == "accepted")
        #expect(try await client.status().store.available)
        await daemon.stop()
    }

    @Test(
        "Equal requests get the stored verdict, however long writes fail",
        arguments: faults.filter { $0.testDescription != "sync failing" })
    func repeatsWhileFull(_ fault: Fault) async throws {
        let daemon = try await FaultyDaemon()
        let client = daemon.client
        var phone = daemon.home.phone()
        #expect(try await phone.register(client).outcome == "accepted")
        var upload = try phone.upload(try await phone.challenge(.assert, client))
        upload.idempotencyKey = [1]
        let accepted = try await client.patiently(upload)
        #expect(accepted.outcome == "accepted" && !accepted.repeated)
        let newcomer = daemon.home.phone()
        let enrolment = try newcomer.registration(try await newcomer.challenge(.register, client))

        fault.begin(daemon.faults)
        for _ in 0..<12 {
            let error = await #expect(throws: AssayError.self) { try await client.patiently(enrolment) }
            #expect(error?.reason == "ledger_unavailable")
            let again = try await client.patiently(upload)
            #expect(again.outcome == "accepted" && again.repeated && again.requestID == accepted.requestID)
        }
        let store = try await client.status().store
        #expect(!store.available && store.state == "unavailable", "\(store)")
        fault.end(daemon.faults)
        #expect(try await client.patiently(enrolment).outcome == "accepted")
        #expect(try await client.status().store.state == "good")
        await daemon.stop()
    }
}
