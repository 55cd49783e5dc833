import AssayClient
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

extension ProcessTests {
    @Suite("Audit commands with several writers")
    struct AuditWriterCommandTests {
        /// A daemon that is the writer "w0" of a ledger: two records of its own, and three of the writer "w1".
        private struct Scene {
            let home: TestHome
            let daemon: Daemon
            let environment: [String: String]

            init() async throws {
                let (own, other) = (try #require(AuditWriter(named: "w0")), try #require(AuditWriter(named: "w1")))
                home = try TestHome()
                let ledger = MemoryLedger(writer: own)
                daemon = try await makeDaemon(
                    try Configuration.load(home.configuration), ledger: ledger,
                    vault: SecretVault(key: SecureRandom.bytes(SecretVault.secretLength)), logger: .silent)
                environment = ["ASSAY_SERVER": try #require(try await daemon.start().first).description]
                for digit in 1...3 as ClosedRange<UInt8> {
                    let change = AuditChange.configurationLoad([UInt8](repeating: digit, count: 32), version: "1", by: .signal)
                    ledger.append(change.bytes, at: Timestamp(unixSeconds: 1_767_225_600), by: other)
                }
                let client = try await AssayClient.connect(to: try #require(environment["ASSAY_SERVER"]))
                let phone = home.phone()
                #expect(try await phone.register(client).outcome == "accepted")
                await client.close()
            }

            func assay(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assay", arguments, environment: environment)
            }
        }

        private static func object(_ text: String) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        @Test("The chains of all writers are verified, listed in the status, and shown by name")
        func chains() async throws {
            let scene = try await Scene()
            let verified = try await scene.assay("audit", "verify", "--expect-start", "1", "--expect-start", "w1/1")
            #expect(verified.status == 0 && verified.lines.filter { $0.hasPrefix("whole") } == ["whole   w0", "whole   w1"])
            #expect(verified.lines.contains { $0.hasPrefix("  head       w1/") && $0.hasSuffix(":3") }, "\(verified)")
            #expect(try await scene.assay("audit", "tail").lines.count == 2)
            let others = try await scene.assay("audit", "tail", "--writer", "w1")
            #expect(others.lines.count == 3 && others.lines.allSatisfy { $0.contains("(signal)") }, "\(others)")
            let absent = try await scene.assay("audit", "tail", "--writer", "w2")
            #expect(absent.status != 0 && absent.err.contains("unknown_writer"), "\(absent)")
            #expect(try await scene.assay("audit", "tail", "--writer", "W2").status == 64)
            let lines = try await scene.assay("status").lines.filter { $0.hasPrefix("  writer    ") }
            #expect(lines.count == 2 && lines[0].contains("w0: 2 audit records") && lines[1].contains("w1: 3 audit records"))
            #expect(lines.last?.hasSuffix("no verdict") == true)
            let status = try Self.object(try await scene.assay("status", "--json").out)
            let writers = try #require((status["store"] as? [String: Any])?["writers"] as? [[String: Any]])
            #expect(writers.compactMap { $0["name"] as? String } == ["w0", "w1"])
            #expect(writers.compactMap { $0["count"] as? Int } == [2, 3])
            await scene.daemon.server.stop()
        }

        @Test("An expected head is compared with its writer's chain, and a missing writer is reported")
        func expected() async throws {
            let scene = try await Scene()
            let status = try Self.object(try await scene.assay("status", "--json").out)
            let audit = try #require(status["audit"] as? [String: Any])
            let (head, key) = (
                try #require(audit["signed_head"] as? String), try #require(audit["public_key"] as? String)
            )
            #expect(audit["writer"] as? String == "w0" && head.hasPrefix("w0/"))
            let good = try await scene.assay("audit", "verify", "--expect-head", head, "--public-key", key)
            #expect(good.status == 0 && good.lines.contains("  signatures 2 good"), "\(good)")
            let moved = "w1" + head.dropFirst(2)
            let bad = try await scene.assay("audit", "verify", "--expect-head", moved, "--public-key", key)
            #expect(bad.status == 1 && bad.lines.contains { $0.hasPrefix("BROKEN  w1: ") }, "\(bad)")
            let missing = try await scene.assay("audit", "verify", "--expect-head", "w2" + head.dropFirst(2), "--json")
            let report = try Self.object(missing.out)
            let chains = try #require(report["writers"] as? [[String: Any]])
            #expect(missing.status == 1 && report["whole"] as? Bool == false)
            #expect(chains.compactMap { $0["writer"] as? String } == ["w0", "w1", "w2"])
            #expect((chains.last?["fault"] as? [String: Any])?["kind"] as? String == "writer_missing")
            await scene.daemon.server.stop()
        }

        @Test("The chain of a writer is exported with its name, resumed, and verified")
        func export() async throws {
            let scene = try await Scene()
            let file = scene.home.folder.file("w1.jsonl")
            #expect(try await scene.assay("audit", "export", "--writer", "w1", "--out", file).status == 0)
            let first = try #require(scene.home.folder.text("w1.jsonl").split(separator: "\n").first)
            #expect(try Self.object(String(first))["writer"] as? String == "w1")
            #expect(try await scene.assay("audit", "export", "--writer", "w1", "--out", file, "--resume").status == 0)
            let own = try await scene.assay("audit", "export", "--out", file, "--resume")
            #expect(own.status == 65 && own.err.contains("w1"), "\(own)")
            let verified = try await scene.assay("audit", "verify", file, "--expect-start", "1", "--expect-start", "w1/1")
            #expect(verified.status == 0 && verified.lines.first == "whole   w1", "\(verified)")
            let elsewhere = try await scene.assay("audit", "verify", file, "--expect-start", "w0/1")
            #expect(elsewhere.status == 1 && elsewhere.lines.contains { $0.hasPrefix("BROKEN  w0: ") }, "\(elsewhere)")
            // The lines of another writer do not fit, however good their signature is.
            let text = scene.home.folder.text("w1.jsonl")
            try scene.home.folder.write(text.replacing("\"writer\":\"w1\"", with: "\"writer\":\"w0\""), to: "w0.jsonl")
            let renamed = try await scene.assay("audit", "verify", scene.home.folder.file("w0.jsonl"))
            #expect(renamed.status == 1 && renamed.lines.first?.hasPrefix("BROKEN  w0: ") == true, "\(renamed)")
            await scene.daemon.server.stop()
        }
    }
}
