import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Verdict commands")
    struct VerdictCommandTests {
        private let home: TestHome

        init() throws { home = try TestHome() }

        private func assay(_ daemon: TestDaemon, _ words: [String]) async throws -> Child.Ending {
            try await Child.run("assay", words, environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "120"])
        }

        private static func object(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }

        /// An upload whose payload is not the one that the app hashed.
        private func rejected(_ client: AssayClient, subject: String = "") async throws -> Assay_V1_Verdict {
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            var request = try phone.upload(try await phone.challenge(.assert, client))
            request.binding = .clientData(payloadHash: ClientData.payloadHash(Array("another photo".utf8)))
            request.subject = Array(subject.utf8)
            return try await client.patiently(request)
        }

        private func configure(_ section: String) throws {
            let text = home.folder.text("assayd.yaml").split(separator: "\n").filter { !$0.hasPrefix("verdicts:") }
            try home.folder.write(text.joined(separator: "\n") + "\nverdicts: \(section)\n", to: "assayd.yaml")
        }

        @Test("Why an upload was rejected is shown by its request id, or the first digits of it")
        func show() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let verdict = try await rejected(client, subject: "anna@example.com")
            #expect(verdict.outcome == "bad_signature")
            let id = Hex.encode(verdict.requestID)
            for words in [[id], [String(id.prefix(8))], [String(id.prefix(13)).uppercased()]] {
                let shown = try await assay(daemon, ["verdicts", "show"] + words)
                #expect(shown.status == 0, "\(shown.err)")
                #expect(
                    shown.lines.first == "REJECTED  bad_signature (check signature, retry: never)  [simulated]", "\(shown.out)")
                #expect(shown.lines.dropFirst().first == "  " + verdict.detail)
                for line in [
                    "  request    \(id)", "  app        camera",
                    "  binding    client_data, payload SHA-256 "
                        + Hex.encode(ClientData.payloadHash(Array("another photo".utf8))),
                ] { #expect(shown.lines.contains(line), "\(line)") }
                #expect(shown.lines.contains { $0.hasPrefix("  ✓ challenge ") })
                #expect(shown.lines.contains { $0.hasPrefix("  ✗ signature ") && $0.contains("whose SHA-256 is ") })
                let guidance = ReasonCode.badSignature.guidance
                #expect(shown.lines.contains("Usual cause: " + guidance.cause))
                #expect(shown.lines.contains("How to fix:  " + guidance.remedy))
                #expect(!shown.out.contains("anna"))
            }
            let json = try #require(Self.object(try await assay(daemon, ["verdicts", "show", id, "--json"]).out))
            #expect(json["request_id"] as? String == id && json["reason"] as? String == "bad_signature")
            let findings = try #require(json["findings"] as? [[String: Any]])
            #expect(findings.count == verdict.findings.count)
            let subjectHash = try #require(json["subject_hash"] as? String)
            #expect(subjectHash.count == 64)

            let unknown = try await assay(daemon, ["verdicts", "show", String(repeating: "0", count: 32)])
            #expect(unknown.status == 1 && unknown.err.contains("no verdict with this request id is on record"))
            // Half a byte that differs.
            let digit = id.dropFirst(8).first == "0" ? "1" : "0"
            #expect(try await assay(daemon, ["verdicts", "show", String(id.prefix(8)) + digit]).status == 1)
            for bad in ["1234567", "not hexadecimal", String(repeating: "0", count: 33)] {
                #expect(try await assay(daemon, ["verdicts", "show", bad]).status == 64, "\(bad)")
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test(
            "Verdicts are listed by decision, time, app, device, subject and reason, and an acceptance is shown from the audit log"
        )
        func list() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let first = try await rejected(client, subject: "anna")
            let second = try await rejected(client)
            let ids = [second, first].map { Hex.encode($0.requestID) }
            func list(_ words: String...) async throws -> [String] {
                let ending = try await assay(daemon, ["verdicts", "list", "--json"] + words)
                #expect(ending.status == 0, "\(ending.err)")
                return ending.lines.compactMap { Self.object($0)?["request_id"] as? String }
            }
            #expect(try await list() == ids)
            #expect(try await list("--rejected", "--since", "1h") == ids)
            #expect(try await list("--until", "1h").isEmpty)
            #expect(try await list("--limit", "1") == [ids[0]])
            #expect(try await list("--unjudged").isEmpty)
            #expect(try await list("--accepted").isEmpty)
            #expect(try await list("--app", "other").isEmpty)
            #expect(try await list("--reason", "bad_signature", "--app", "camera") == ids)
            #expect(try await list("--reason", "nonce_mismatch").isEmpty)
            #expect(try await list("--app", "camera", "--subject", "anna") == [ids[1]])
            let device = try #require(DeviceID(bytes: Array(first.deviceID))).description
            #expect(try await list("--device", device) == [ids[1]])
            let text = try await assay(daemon, ["verdicts", "list"])
            #expect(text.lines.count == 2 && text.err.isEmpty)
            let newest = try #require(text.lines.first)
            #expect(newest.contains("\(ids[0])  rejected  camera  bad_signature (signature)"), "\(text.out)")
            for bad in [
                ["--subject", "anna"], ["--rejected", "--accepted"], ["--since", "yesterday"], ["--limit", "0"],
            ] {
                #expect(try await assay(daemon, ["verdicts", "list"] + bad).status == 64, "\(bad)")
            }
            let accepted = try await home.phone().register(client)
            let shown = try await assay(daemon, ["verdicts", "show", Hex.encode(accepted.requestID.prefix(4))])
            #expect(
                shown.status == 0 && shown.lines.first?.hasPrefix("ACCEPTED  assurance secure_element") == true, "\(shown.out)")
            #expect(shown.out.contains("checks of acceptances are not kept"))
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Records survive a killed daemon, and the list then says that some may be missing")
        func kill() async throws {
            let first = try await TestDaemon(home)
            let client = try await first.connect()
            var ids: [String] = []
            for _ in 0..<5 { ids.append(Hex.encode(try await rejected(client).requestID)) }
            // A reader sees what was written: from then on a kill does not take it back.
            #expect(try await assay(first, ["verdicts", "list"]).lines.count == 5)
            await client.close()
            first.child.signal(SIGKILL)
            _ = await first.child.ending()
            let second = try await TestDaemon(home)
            let listed = try await assay(second, ["verdicts", "list", "--json"])
            let listedIDs = listed.lines.compactMap { Self.object($0)?["request_id"] as? String }
            let newestFirst: [String] = ids.reversed()
            #expect(listedIDs == newestFirst)
            #expect(listed.err.contains("ended without being stopped: its last records may be missing"), "\(listed.err)")
            #expect(await second.stop().status == 0)
            let third = try await TestDaemon(home)
            let again = try await assay(third, ["verdicts", "list"])
            #expect(again.lines.count == 5 && again.err.isEmpty)
            #expect(await third.stop().status == 0)
        }

        @Test("A damaged file costs no verdict: the status says so, and a reload with leave to move it aside makes a new one")
        func damaged() async throws {
            try home.leaveTheDiskAlone()
            try home.folder.write(String(repeating: "not a database\n", count: 500), to: "verdicts.db")
            let check = try await Child.run("assayd", ["check-config", home.configuration])
            #expect(check.out.contains("verdicts.db is not a database; verdicts are given, and not recorded"), "\(check.out)")
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            #expect(try await rejected(client).outcome == "bad_signature")
            let list = try await assay(daemon, ["verdicts", "list"])
            #expect(list.status == 69 && list.err.contains("records_unavailable"), "\(list.err)")
            let status = try await assay(daemon, ["status", "--check"])
            #expect(
                status.status == 1 && status.out.contains("records_unavailable: verdicts are not recorded: "), "\(status.out)")
            #expect(home.folder.text("verdicts.db").hasPrefix("not a database"))
            try configure("{move_damaged_aside: true}")
            daemon.child.signal(SIGHUP)
            #expect(try await eventually { try await assay(daemon, ["status", "--check"]).out == "good\n" })
            _ = try await rejected(client)
            #expect(try await assay(daemon, ["verdicts", "list"]).lines.count == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
            #expect(names.contains { $0.hasPrefix("verdicts.db.damaged-") })
            // Another reload: nothing is recorded, and what is on record stays.
            try configure("{record: none}")
            daemon.child.signal(SIGHUP)
            #expect(
                try await eventually {
                    let count = try await assay(daemon, ["verdicts", "list"]).lines.count
                    _ = try await rejected(client)
                    return try await assay(daemon, ["verdicts", "list"]).lines.count == count
                })
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
