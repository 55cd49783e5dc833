import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// `assay policy replay`, `shadow` and `recordings`, against a daemon.
    @Suite("Replay of recorded verdicts")
    struct PolicyReplayTests {
        private let home: TestHome

        init() throws {
            home = try TestHome(android: AndroidAuthority(seed: "replay"))
            let text = home.folder.text("assayd.yaml").replacing(
                "  camera: {", with: "  camera: {record: {evidence: true}, shadow: {accept_simulated: false}, ")
            try home.folder.write(text, to: "assayd.yaml")
        }

        private func assay(_ daemon: TestDaemon, _ words: [String]) async throws -> Child.Ending {
            try await Child.run(
                "assay", ["policy"] + words, environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "120"])
        }

        private func candidate(_ name: String, _ old: String, _ new: String) throws -> String {
            let text = home.folder.text("assayd.yaml")
            try #require(text.contains(old))
            return try home.folder.write(text.replacing(old, with: new, maxReplacements: 1), to: name + ".yaml")
        }

        private static func objects(_ ending: Child.Ending) -> [[String: Any]] {
            ending.lines.compactMap { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] }
        }

        @Test("A candidate is judged by what was recorded of both platforms; its flips are listed, and decide the exit status")
        func replay() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let empty = try await assay(daemon, ["replay", "--candidate", home.configuration])
            #expect(empty.status == 3 && empty.err.contains("no verdict is recorded"), "\(empty.out)\(empty.err)")
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let upload = try phone.upload(try await phone.challenge(.assert, client))
            #expect(try await client.verify(upload).outcome == "accepted")
            #expect(try await client.verify(upload).outcome != "accepted", "its counter was used")
            var foreign = upload
            foreign.challenge[Challenge.length - 1] ^= 1
            #expect(try await client.verify(foreign).outcome != "accepted")

            for words in [[], ["--claims-only"]] {
                let same = try await assay(daemon, ["replay", "--since", "1h", "--candidate", home.configuration] + words)
                #expect(same.status == 0 && same.out.contains("3 the same, 0 flipped"), "\(same.out)\(same.err)")
                #expect(
                    same.lines.contains("    1  refused by the check challenge, before the evidence was appraised"),
                    "\(same.out)")
            }
            let strict = try candidate("strict", "accept_simulated: true", "accept_simulated: false")
            for words in [[], ["--claims-only"]] {
                let flips = try await assay(daemon, ["replay", "--candidate", strict] + words)
                #expect(flips.status == 1, "\(flips.out)\(flips.err)")
                #expect(flips.lines.contains("    2  simulated_not_accepted"), "\(flips.out)")
                #expect(flips.err.contains("2 of 3 judged verdicts flip"), "\(flips.err)")
            }
            let allowed = try await assay(daemon, ["replay", "--candidate", strict, "--max-flips", "1", "--json"])
            #expect(allowed.status == 0)
            let objects = Self.objects(allowed)
            #expect(
                objects.count == 3 && objects.prefix(2).allSatisfy { $0["change"] as? String == "newly_rejected" },
                "\(allowed.out)")
            #expect(objects.last?["flips"] as? Int == 2 && objects.last?["by_evidence"] as? Int == 3)
            let payload = try candidate("payload", "  camera: {", "  camera: {binding: {payload: required}, ")
            let byEvidence = try await assay(daemon, ["replay", "--candidate", payload])
            #expect(byEvidence.status == 1 && byEvidence.lines.contains("    1  payload_required"), "\(byEvidence.out)")
            let byClaims = try await assay(daemon, ["replay", "--candidate", payload, "--claims-only"])
            #expect(byClaims.status == 3, "\(byClaims.out)")
            #expect(byClaims.out.contains("3  binding.payload differs, which claims do not show"), "\(byClaims.out)")

            let none = try await assay(daemon, ["replay", "--candidate", strict, "--app", "absent"])
            #expect(none.status == 2 && none.err.contains("has no app absent"), "\(none.err)")
            let renamed = try candidate("renamed", "  camera: {", "  kamera: {")
            let unknown = try await assay(daemon, ["replay", "--candidate", renamed])
            #expect(unknown.status == 3 && unknown.out.contains("4  the candidate has no such app"), "\(unknown.out)")
            let missing = try await assay(daemon, ["replay", "--candidate", "/nowhere.yaml"])
            #expect(missing.status == 2 && !missing.err.isEmpty)

            let name = try #require(objects.last(where: { $0["device"] != nil })?["device"] as? String)
            let evidence = try await assay(
                daemon, ["recordings", "delete", "--app", "camera", "--device", name, "--evidence"])
            #expect(evidence.status == 0 && evidence.out.contains("recordings of"), "\(evidence.out)\(evidence.err)")
            let left = try await assay(daemon, ["replay", "--candidate", strict, "--max-flips", "1"])
            #expect(left.out.contains("3 judged (0 by evidence, 3 by claims)"), "\(left.out)")
            let all = try await assay(daemon, ["recordings", "delete", "--app", "camera", "--device", name])
            #expect(all.status == 0)
            let gone = try await assay(daemon, ["replay", "--candidate", strict])
            #expect(gone.status == 3, "\(gone.out)")
            await client.close()
            await daemon.stop()
        }

        @Test("A shadow policy decides nothing; its differences are listed, and its text is kept")
        func shadow() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            let verdict = try await phone.register(client)
            #expect(verdict.outcome == "accepted")
            var shown = try await assay(daemon, ["shadow", "--app", "camera"])
            _ = try await eventually {
                shown = try await assay(daemon, ["shadow", "--app", "camera"])
                return shown.out.contains("1  newly rejected")
            }
            #expect(shown.status == 0 && shown.out.contains("1  newly rejected"), "\(shown.out)\(shown.err)")
            #expect(
                shown.out.contains(Hex.encode(verdict.requestID)) && shown.out.contains("→ rejected: simulated_not_accepted"))
            let json = try #require(Self.objects(try await assay(daemon, ["shadow", "--json"])).first)
            let digest = try #require(json["shadow_digest"] as? String)
            #expect(json["newly_rejected"] as? Int == 1 && json["app"] as? String == "camera")
            let diff = try await assay(daemon, ["diff", Hex.encode(verdict.policyDigest), digest])
            #expect(diff.lines == ["- accept_simulated = true", "+ accept_simulated = false"], "\(diff.out)\(diff.err)")
            // A reload puts another shadow policy in force.
            let text = home.folder.text("assayd.yaml")
            try home.folder.write(
                text.replacing("shadow: {accept_simulated: false}", with: "shadow: {binding: {payload: required}}"),
                to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            var next = digest
            try await eventually("the reload is done") {
                let report = Self.objects(try await assay(daemon, ["shadow", "--json"])).first
                next = report?["shadow_digest"] as? String ?? digest
                return next != digest
            }
            let changed = try await assay(daemon, ["diff", digest, next])
            let differences = [
                "+ accept_simulated = true", "+ binding.payload = required", "- accept_simulated = false",
                "- binding.payload = optional",
            ]
            #expect(changed.lines.sorted() == differences, "\(changed.out)\(changed.err)")
            let none = try await assay(daemon, ["shadow", "--app", "other"])
            #expect(none.status == 1 && none.err.contains("no app other has a shadow policy"))
            await client.close()
            await daemon.stop()
        }

        @Test("A shadow policy that is invalid is refused with the configuration")
        func invalid() async throws {
            let text = home.folder.text("assayd.yaml")
            for (shadow, problem) in [
                ("{app_atest: {}}", "did you mean \"app_attest\"?"), ("{}", "it states nothing otherwise"),
                ("{app_attest: {identities: [{app_id: x}]}}", "app_id"),
                ("{challenge: {ttl: 1m}}", "unknown key \"challenge\""),
            ] {
                let path = try home.folder.write(
                    text.replacing("shadow: {accept_simulated: false}", with: "shadow: \(shadow)"), to: "broken.yaml")
                let ending = try await Child.run("assayd", ["check-config", path])
                #expect(ending.status != 0 && (ending.err + ending.out).contains(problem), "\(ending.out)\(ending.err)")
            }
        }
    }
}
