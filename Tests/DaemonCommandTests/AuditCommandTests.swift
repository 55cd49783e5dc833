import AssayClient
import AssayCore
import AssaySQLite
import CSQLite
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Audit commands")
    struct AuditCommandTests {
        /// A daemon with some records: one registration, and uploads.
        private struct Scene {
            let home: TestHome
            let daemon: TestDaemon
            let server: [String: String]
            var ledger: String { home.folder.file("ledger.sqlite") }

            init(uploads: Int = 4, keepsClaims: Bool = false) async throws {
                home = try TestHome()
                if keepsClaims {
                    let text = home.folder.text("assayd.yaml").replacing("camera: {", with: "camera: {audit_claims: true, ")
                    try home.folder.write(text, to: "assayd.yaml")
                }
                daemon = try await TestDaemon(home)
                server = ["ASSAY_SERVER": try daemon.address("tcp")]
                let client = try await daemon.connect()
                var phone = home.phone()
                #expect(try await phone.register(client).outcome == "accepted")
                for _ in 0..<uploads { #expect(try await phone.upload(client).outcome == "accepted") }
                await client.close()
            }

            func assay(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assay", ["audit"] + arguments, environment: server)
            }

            func status() async throws -> (head: String, key: String) {
                let text = try await Child.run("assay", ["status", "--json"], environment: server).out
                let audit = try #require(AuditCommandTests.object(text)["audit"] as? [String: Any])
                return (try #require(audit["signed_head"] as? String), try #require(audit["public_key"] as? String))
            }
        }

        private static func object(_ text: String) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }

        private static func execute(_ sql: String, on path: String) throws {
            var handle: OpaquePointer?
            try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
            defer { sqlite3_close_v2(handle) }
            try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        }

        @Test("The last records are shown and filtered, and new ones followed")
        func tail() async throws {
            let scene = try await Scene()
            let all = try await scene.assay("tail")
            #expect(all.status == 0 && all.lines.count == 6, "\(all)")
            #expect(all.lines[0].contains("  #1  configuration_load  -  (start)  -  digest "), "\(all)")
            #expect(all.lines[1].contains("  #2  register   camera  loopback-demo  dev_"), "\(all)")
            #expect(all.lines[1].hasSuffix("  secure_element  [simulated]"))
            #expect(try await scene.assay("tail", "-n", "2").lines == Array(all.lines.suffix(2)))
            #expect(try await scene.assay("tail", "-n", "0").lines.isEmpty)
            #expect(try await scene.assay("tail", "--app", "other").lines.isEmpty)
            #expect(
                try await scene.assay("tail", "--caller", "loopback-demo", "--app", "camera").lines
                    == Array(all.lines.dropFirst()))
            #expect(try await scene.assay("tail", "--since", "2020-01-01T00:00:00Z").lines == all.lines)
            #expect(try await scene.assay("tail", "--since", "2999-01-01T00:00:00Z").lines.isEmpty)
            let json = try await scene.assay("tail", "--json", "-n", "1")
            let row = try Self.object(json.out)
            #expect(row["number"] as? Int == 6 && row["purpose"] as? String == "assert" && row["simulated"] as? Bool == true)
            let device = try #require(row["device_id"] as? String)
            #expect(try await scene.assay("tail", "--device", device).lines == Array(all.lines.dropFirst()))

            let following = try Child(try Child.built("assay"), ["audit", "tail", "-f", "-n", "1"], environment: scene.server)
            let client = try await scene.daemon.connect()
            let phone = scene.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            await client.close()
            while following.isRunning, !following.out.contains("#7") { try await Task.sleep(for: .milliseconds(50)) }
            following.signal(SIGTERM)
            _ = await following.ending()
            #expect(await scene.daemon.stop().status == 0)
        }

        @Test("Certificates and permissions to provision devices are shown with their fields, and the export is valid")
        func certificates() async throws {
            let scene = try await Scene(uploads: 0)
            #expect(await scene.daemon.stop().status == 0)
            let ledger = try SQLiteLedger.open(path: scene.ledger)
            let app = try #require(AppID("camera"))
            let device = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: 16)))
            let time = try #require(try await ledger.status().lastEntryAt)
            let certificate = DeviceCertificate(
                name: CertificateName(issuer: [1], serial: [0x1F, 0x02]), app: app, device: device, keyID: [2], notBefore: time,
                notAfter: time, issuedAt: time,
                basis: CertificateBasis(
                    assurance: .hardware, protection: .vouched, platform: .appAttestAttestation, policyDigest: [3],
                    simulated: true), der: [4])
            let context = ChangeContext(.caller("sma"), at: time, reason: "case 12")
            let enrolments = (1...2).map { Enrolment(app: app, permit: .serial([$0]), createdAt: time) }
            for change in [
                .issue(certificate, by: .caller("sma")), .revoke(certificate, .keyCompromise, context),
                .enrol(enrolments, of: app, context), .removeEnrolment(.serial([1]), of: app, context),
                .readmit(Enrolment(app: app, permit: .serial([1]), createdAt: time, replaces: device), context),
            ] as [AuditChange] {
                try await ledger.record(change, at: time)
            }
            ledger.close()
            let daemon = try await TestDaemon(scene.home)
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            func rows(_ caller: String, _ arguments: String...) async throws -> [String] {
                try await Child.run(
                    "assay", ["audit", "tail", "--caller", caller] + arguments, environment: server
                ).lines
            }
            let lines = try await rows("sma")
            try #require(lines.count == 5, "\(lines)")
            #expect(lines[0].hasSuffix("  certificate_issue  camera  sma  \(device)  serial 1f02, simulated"), "\(lines)")
            #expect(
                lines[1].hasSuffix("  certificate_revoke  camera  sma  \(device)  serial 1f02, keyCompromise  \"case 12\""),
                "\(lines)")
            #expect(lines[2].contains("  enrol      camera  sma  -  2 permissions, digest "), "\(lines)")
            #expect(lines[3].contains("  enrolment_remove  camera  sma  -  1 permission, digest "), "\(lines)")
            #expect(lines[4].contains("  readmit    camera  sma  \(device)  1 permission, digest "), "\(lines)")
            #expect(lines[4].hasSuffix("  \"case 12\""), "\(lines)")
            let objects = try await rows("sma", "--json").map { try AuditCommandTests.object($0) }
            #expect(
                objects.map { $0["change"] as? String }
                    == ["certificate_issue", "certificate_revoke", "enrol", "enrolment_remove", "readmit"])
            #expect(objects[0]["serial"] as? String == "1f02" && objects[0]["simulated"] as? Bool == true, "\(objects)")
            #expect(
                objects[1]["serial"] as? String == "1f02" && objects[1]["revocation_reason"] as? String == "keyCompromise",
                "\(objects)")
            #expect(objects[2]["permissions"] as? Int == 2 && objects[3]["permissions"] as? Int == 1, "\(objects)")
            let copy = scene.home.folder.file("audit.jsonl")
            let export = try await Child.run("assay", ["audit", "export", "--out", copy], environment: server)
            #expect(export.status == 0, "\(export)")
            let verified = try await Child.run("assay", ["audit", "verify", copy])
            #expect(verified.status == 0 && verified.lines.first == "whole", "\(verified)")
            #expect(await daemon.stop().status == 0)
        }

        @Test("An unchanged log is valid, wherever it is read")
        func whole() async throws {
            let scene = try await Scene()
            let (head, key) = try await scene.status()
            let live = try await scene.assay("verify", "--public-key", key, "--expect-head", head)
            #expect(live.status == 0 && live.lines.first == "whole", "\(live)")
            #expect(live.out.contains("1 to 6 are chained") && live.out.contains("2 good"), "\(live)")
            let copy = scene.home.folder.file("audit.jsonl")
            let export = try await scene.assay("export", "--out", copy)
            #expect(export.status == 0 && export.err.contains("6 records written"), "\(export)")
            let exported = try await scene.assay("verify", copy, "--public-key", key, "--expect-head", head, "--json")
            #expect(exported.status == 0, "\(exported)")
            let report = try Self.object(exported.out)
            #expect(report["whole"] as? Bool == true && report["last"] as? Int == 6 && report["good_signatures"] as? Int == 2)
            let beside = try await Child.run("assayd", ["audit", "verify", scene.ledger, "--expect-head", head])
            #expect(beside.status == 0 && beside.out.contains("not verified"), "\(beside)")
            let status = try await Child.run("assay", ["status"], environment: scene.server)
            #expect(
                status.out.contains("  audit     \(head.prefix(66))") && status.out.contains("signed by \(key)"), "\(status)")
            #expect(status.out.contains("  disk      "), "\(status)")
            let stopped = await scene.daemon.stop()
            #expect(
                stopped.err.components(separatedBy: " audit head head=").count == 3, "at the start and at the stop: \(stopped)")
            let last = try #require(stopped.err.split(separator: " ").last { $0.hasPrefix("head=") }).dropFirst(5)
            let offline = try await Child.run(
                "assayd", ["audit", "verify", scene.ledger, "--expect-head", String(last), "--public-key", key])
            #expect(offline.status == 0 && offline.out.contains("1 good"), "\(offline)")
        }

        @Test("An export is resumed at its end, and an incomplete line is removed")
        func resume() async throws {
            let scene = try await Scene(uploads: 1)
            let copy = scene.home.folder.file("audit.jsonl")
            #expect(try await scene.assay("export", "--out", copy).status == 0)
            let first = scene.home.folder.text("audit.jsonl")
            #expect(try await scene.assay("export", "--out", copy).status == 65, "an export is not overwritten")
            let client = try await scene.daemon.connect()
            let phone = scene.home.phone()
            _ = try await phone.register(client)
            await client.close()
            try scene.home.folder.write(first + #"{"number":4,"ti"#, to: "audit.jsonl")
            #expect(try await scene.assay("verify", copy).status == 65, "the last line is not whole")
            #expect(try await scene.assay("export", "--out", copy, "--resume").status == 0)
            let text = scene.home.folder.text("audit.jsonl")
            #expect(text.hasPrefix(first) && text.split(separator: "\n").count == 7, "\(text)")
            let verified = try await scene.assay("verify", copy)
            #expect(verified.status == 0 && verified.out.contains("1 to 4 are chained"), "\(verified)")
            let partial = try await scene.assay("export", "--from", "4")
            #expect(partial.lines.count == 3 && partial.status == 0, "\(partial)")
            try scene.home.folder.write(partial.out, to: "partial.jsonl")
            let rest = try await scene.assay("verify", scene.home.folder.file("partial.jsonl"))
            #expect(rest.status == 0 && rest.out.contains("4 to 4 are chained"), "\(rest)")
            #expect(rest.out.contains("begins     with record 4, after ") && rest.out.contains("cut        3 records"))
            #expect(try await scene.assay("export", "--from", "99").status == 65)
            #expect(await scene.daemon.stop().status == 0)
        }

        @Test("Only an export is resumed, and every other file stays unchanged")
        func resumeElsewhere() async throws {
            let scene = try await Scene(uploads: 1)
            let whole = try await scene.assay("export").lines.count
            for (text, isOurs) in [
                ("a secret of one line, without its end", false), (#"{"audit":"another.audit.v1","#, false),
                (#"{"audit":"assay.audit.v1","#, true), (#"{"audit":"ass"#, true), ("", true),
            ] {
                let path = try scene.home.folder.write(text, to: "some file")
                let ending = try await scene.assay("export", "--out", path, "--resume")
                #expect(ending.status == (isOurs ? 0 : 65), "\(text): \(ending)")
                let left = scene.home.folder.text("some file")
                #expect(isOurs ? left.split(separator: "\n").count == whole : left == text, "\(text)")
            }
            #expect(await scene.daemon.stop().status == 0)
        }

        @Test("The first wrong record of an export is reported, with the fault")
        func tamperedExport() async throws {
            let scene = try await Scene()
            let (head, key) = try await scene.status()
            let lines = try await scene.assay("export").lines
            #expect(await scene.daemon.stop().status == 0)
            func verify(_ lines: [String], _ arguments: String...) async throws -> Child.Ending {
                try scene.home.folder.write(lines.map { $0 + "\n" }.joined(), to: "changed.jsonl")
                return try await Child.run(
                    "assay", ["audit", "verify", scene.home.folder.file("changed.jsonl")] + arguments)
            }
            func expect(_ ending: Child.Ending, _ words: String) {
                #expect(ending.status == 1 && ending.out.hasPrefix("BROKEN  record " + words), "\(ending)")
            }
            #expect(try await verify(lines).status == 0)
            var changed = lines
            changed[3] = changed[3].replacing("loopback-demo", with: "another-one-1")
            expect(try await verify(changed), "3 (changed): its line shows")
            changed = lines
            changed[2] = changed[2].replacing(#""time_unix_ms":1"#, with: #""time_unix_ms":2"#)
            expect(try await verify(changed), "2 (changed): its record or time")
            changed = lines
            changed.remove(at: 2)
            expect(try await verify(changed), "2 (missing)")
            changed = lines
            changed.swapAt(2, 3)
            expect(try await verify(changed), "2 (reordered)")
            // Its signed head names a record that no longer exists.
            changed = lines
            changed.remove(at: 5)
            expect(try await verify(changed), "5 (missing)")
            let cut = Array(lines.prefix(6))
            #expect(try await verify(cut).status == 0, "only a head that was kept elsewhere shows a cut tail")
            expect(try await verify(cut, "--expect-head", head), "6 (truncated)")
            expect(try await verify(cut, "--expect-head", String(head.prefix(64))), "1 (head_not_found)")
            let forged = String(head.dropLast(4)) + (head.hasSuffix("AAAA") ? "BBBA" : "AAAA")
            expect(try await verify(lines, "--public-key", key, "--expect-head", forged), "6 (bad_signature)")
            for (text, why) in [("nonsense", "line 1 is not"), (#"{"number":1}"#, "line 1 is not"), ("", "holds no export")] {
                let ending = try await verify(text.isEmpty ? [] : [text])
                #expect(ending.status == 65 && ending.err.contains(why), "\(ending)")
            }
        }

        @Test("The first wrong record of a ledger is reported, with and without a running daemon")
        func tamperedLedger() async throws {
            let scene = try await Scene()
            let (head, key) = try await scene.status()
            try Self.execute("UPDATE audit SET time = time + 1 WHERE number = 3", on: scene.ledger)
            for ending in [
                try await scene.assay("verify"), try await Child.run("assayd", ["audit", "verify", scene.ledger]),
            ] {
                #expect(ending.status == 1 && ending.lines.first?.hasPrefix("BROKEN  record 3 (changed)") == true, "\(ending)")
                #expect(ending.out.contains("1 to 2 are chained"))
            }
            let export = try await scene.assay("export")
            #expect(export.status == 1 && export.lines.count == 3 && export.err.contains("record 3 (changed)"), "\(export)")
            #expect(await scene.daemon.stop().status == 0)
            try Self.execute("UPDATE audit SET time = time - 1 WHERE number = 3", on: scene.ledger)
            try Self.execute("DELETE FROM audit WHERE number = 6", on: scene.ledger)
            #expect(try await Child.run("assayd", ["audit", "verify", scene.ledger]).status == 0)
            let cut = try await Child.run(
                "assayd", ["audit", "verify", scene.ledger, "--expect-head", head, "--public-key", key])
            #expect(cut.status == 1 && cut.out.hasPrefix("BROKEN  record 6 (truncated)"), "\(cut)")
        }

        @Test("The beginning of a log is shown, and a cut front is found with information kept elsewhere")
        func cutFront() async throws {
            let scene = try await Scene()
            let (head, key) = try await scene.status()
            #expect(try await scene.assay("verify", "--expect-start", "1").status == 0)
            #expect(await scene.daemon.stop().status == 0)
            func verify(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assayd", ["audit", "verify", scene.ledger] + arguments)
            }
            let whole = try await verify("--expect-start", "1", "--expect-head", head, "--public-key", key)
            #expect(whole.status == 0 && whole.out.contains("begins     with record 1\n"), "\(whole)")
            #expect(whole.out.contains("the log begins there") && !whole.out.contains("cut "), "\(whole)")
            // As the daemon drops old records.
            try Self.execute(
                """
                UPDATE audit_start SET number = 3, head = (SELECT head FROM audit WHERE number = 3);
                DELETE FROM audit WHERE number <= 3
                """, on: scene.ledger)
            let shown = try await verify()
            #expect(shown.status == 0 && shown.out.contains("begins     with record 4, after "), "the chain alone fits")
            let start = try #require(shown.lines.first { $0.contains("begins") }?.split(separator: " ").last)
            #expect(try await verify("--expect-start", String(start)).status == 0, "what is shown is what is expected")
            let known = try await verify("--expect-head", head, "--public-key", key)
            #expect(known.status == 0 && known.out.contains("cut        3 records"), "\(known)")
            for expected in ["1", String(repeating: "0", count: 64) + ":0"] {
                let cut = try await verify("--expect-start", expected)
                #expect(cut.status == 1 && cut.out.hasPrefix("BROKEN  record 1 (start_moved)"), "\(cut)")
            }
            let other = try await verify("--expect-start", String(repeating: "0", count: 64) + ":3")
            #expect(other.status == 1 && other.out.hasPrefix("BROKEN  record 3 (rewritten)"), "\(other)")
            // A head without a start is still valid for its other fields.
            let parts = head.split(separator: ":")
            let old = try await verify("--expect-head", "\(parts[0]):\(parts[1])")
            #expect(parts.count == 6 && old.status == 0 && !old.out.contains("cut "), "\(old)")
        }

        @Test("Operators' changes are shown: blocks, imports, forgotten devices and configurations")
        func changes() async throws {
            let scene = try await Scene(uploads: 0)
            func device(_ words: String...) async throws {
                let ending = try await Child.run("assay", ["device"] + words + ["--app", "camera"], environment: scene.server)
                #expect(ending.status == 0, "\(ending)")
            }
            let row = try Self.object(try await scene.assay("tail", "--json", "-n", "1").out)
            let id = try #require(row["device_id"] as? String)
            try await device("block", id, "--reason", "stolen \u{1B}[31m")
            try await device("unblock", id)
            try await device("block", "--subject", "anna@example.org", "--reason", "case 12")
            try await device("forget", id, "--yes", "--reason", "asked for")
            scene.daemon.child.signal(SIGHUP)
            var lines: [String] = []
            while lines.count < 7, scene.daemon.child.isRunning {
                lines = try await scene.assay("tail").lines.map { String($0.drop { $0 != "#" }) }
            }
            #expect(lines[2] == "#3  block      camera  loopback-demo  \(id)  1 registered device  \"stolen \u{FFFD}[31m\"")
            #expect(lines[3] == "#4  unblock    camera  loopback-demo  \(id)  1 registered device")
            #expect(lines[4].hasPrefix("#5  block      camera  loopback-demo  subject:"))
            #expect(lines[5] == "#6  forget     camera  loopback-demo  \(id)  \"asked for\"")
            #expect(lines[6].hasPrefix("#7  configuration_load  -  (signal)  -  digest "))
            let shown = try await Child.run("assay", ["status", "--json"], environment: scene.server)
            let configuration = try Self.object(shown.out)["configuration"] as? [String: Any]
            let digest = try #require(configuration?["digest"] as? String)
            let loaded = try Self.object(try await scene.assay("tail", "--json", "-n", "1").out)
            #expect(loaded["digest"] as? String == digest && loaded["origin"] as? String == "signal")
            #expect(try await scene.assay("tail", "--device", id).lines.count == 4)
            let copy = scene.home.folder.file("audit.jsonl")
            #expect(try await scene.assay("export", "--out", copy).status == 0)
            #expect(!scene.home.folder.text("audit.jsonl").contains("anna"))
            let verified = try await scene.assay("verify", copy)
            #expect(verified.status == 0 && verified.out.contains("1 to 7 are chained"), "\(verified)")
            #expect(await scene.daemon.stop().status == 0)
        }

        @Test("A device's claims are shown and deleted, and the log stays valid")
        func claims() async throws {
            let scene = try await Scene(uploads: 1, keepsClaims: true)
            let row = try Self.object(try await scene.assay("tail", "--json", "-n", "1").out)
            let device = try #require(row["device_id"] as? String)
            #expect((row["claims_digest"] as? String)?.count == 64)
            let shown = try await scene.assay("claims", "--app", "camera", "2")
            #expect(shown.status == 0 && shown.out.contains(" = "), "\(shown)")
            let json = try Self.object(try await scene.assay("claims", "--app", "camera", "2", "--json").out)
            #expect(json["genuine"] as? Bool == true && (json["claims"] as? [String: Any])?.isEmpty == false)
            #expect(try await scene.assay("claims", "--app", "other", "2").status == 1)
            #expect(try await scene.assay("claims", "--app", "camera", "1").status == 1, "a configuration has none")
            let forgotten = try await scene.assay("forget-claims", "--app", "camera", device)
            #expect(forgotten.status == 0 && forgotten.out == "forgot the claims beside 2 records\n", "\(forgotten)")
            #expect(try await scene.assay("claims", "--app", "camera", "2").status == 1)
            let last = try await scene.assay("tail", "-n", "1")
            #expect(last.out.contains("  forget_claims  camera  loopback-demo  \(device)  claims beside 2 records"), "\(last)")
            #expect(try await scene.assay("verify").status == 0)
            #expect(await scene.daemon.stop().status == 0)
        }

        @Test("Wrong usage and unreadable input are reported")
        func misuse() async throws {
            let folder = try TemporaryFolder()
            for arguments in [
                ["verify", "--expect-head", "12"], ["verify", "--expect-start", "0"], ["verify", "--expect-start", "ab"],
                ["verify", "--public-key", "AA"], ["export", "--resume"],
                ["export", "--from", "0"], ["tail", "-n", "-1"], ["tail", "--since", "yesterday"], ["tail", "--device", "x"],
            ] {
                let ending = try await Child.run("assay", ["audit"] + arguments)
                #expect(ending.status == 64, "\(arguments) \(ending)")
            }
            #expect(try await Child.run("assay", ["audit", "verify", folder.file("no")]).status == 65)
            #expect(try await Child.run("assayd", ["audit", "verify", folder.file("no")]).status == 69)
            #expect(try await Child.run("assayd", ["audit", "verify", folder.file("no"), "--expect-head", "x"]).status == 64)
            #expect(!FileManager.default.fileExists(atPath: folder.file("no")), "it only looks")
            let other = try folder.write("not a ledger, but long enough to be looked at", to: "other")
            #expect(try await Child.run("assayd", ["audit", "verify", other]).status == 69)
        }
    }
}
