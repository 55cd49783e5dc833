import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Device commands")
    struct DeviceCommandTests {
        private let home: TestHome

        /// The app accepts imported devices, and one device for each subject.
        init() throws {
            home = try TestHome()
            try configure { $0.replacing("camera: {app_attest: {", with: "camera: {app_attest: {accept_imported: true, ") }
        }

        private func configure(_ change: (String) -> String) throws {
            try home.folder.write(change(home.folder.text("assayd.yaml")), to: "assayd.yaml")
        }

        private func assay(_ daemon: TestDaemon, _ words: [String], input: String = "") async throws -> Child.Ending {
            try await Child.run(
                "assay", ["device"] + words + ["--app", "camera"], input: input,
                environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        }

        private func register(
            _ phone: TestPhone, _ client: AssayClient, subject: String = ""
        ) async throws -> (outcome: String, device: String) {
            var request = try phone.registration(try await phone.challenge(.register, client))
            request.subject = Array(subject.utf8)
            let verdict = try await client.patiently(request)
            return (verdict.outcome, DeviceID(bytes: Array(verdict.deviceID))?.description ?? "")
        }

        private static func object(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }

        private func line(_ key: VirtualKey, _ more: String = "", publicKey: String? = nil, counter: Int = 0) -> String {
            let text = publicKey ?? Base64.standard.encode(key.publicKey)
            return
                #"{"public_key": "\#(text)", "app_id": "\#(TestHome.appID)", "environment": "production", "counter": \#(counter)\#(more)}"#
        }

        @Test("A registration retires the device whose key is lost, in a ledger that is one file")
        func replaced() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var (old, new) = (home.phone(), home.phone())
            let device = try await register(old, client, subject: "anna").device
            let challenge = try await new.challenge(.register, client)
            let file = try home.folder.write(try #require(try new.registration(challenge).evidence.first).body, to: "new.cbor")
            func verify(_ more: String...) async throws -> Child.Ending {
                let words = [
                    "verify", "--app", "camera", "--challenge=" + Base64.url.encode(challenge),
                    "--key-id=" + Base64.standard.encode(new.key.keyID), "--attestation", file, "--replaces", device,
                ]
                return try await Child.run("assay", words + more, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            }
            let foreign = try await verify("--subject", "berta")
            #expect(foreign.status == 1 && foreign.out.contains("replacement_refused"), "\(foreign)")
            #expect(try await old.upload(client).outcome == "accepted")
            let accepted = try await verify("--subject", "anna")
            #expect(accepted.status == 0 && accepted.out.contains("device_replaced"), "\(accepted)")
            #expect(try await old.upload(client).outcome == "unknown_device")
            #expect(try await new.upload(client).outcome == "accepted")
            #expect(try await assay(daemon, ["list"]).lines.count == 1)
            let misplaced = try await Child.run(
                "assay",
                [
                    "verify", "--app", "camera", "--challenge", "AA", "--key-id", "AA", "--assertion", file, "--replaces",
                    device,
                ])
            #expect(misplaced.status == 64 && misplaced.err.contains("--replaces"), "\(misplaced)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Devices are listed, blocked, unblocked and forgotten")
        func registry() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phones = [home.phone(), home.phone(), home.phone()]
            var devices: [String] = []
            for phone in phones {
                devices.append(
                    try await register(phone, client, subject: phone.key.keyID == phones[2].key.keyID ? "anna" : "").device)
            }
            let all = try await assay(daemon, ["list"])
            let listed = all.lines.map { String($0.prefix(36)) }
            #expect(all.status == 0 && listed == devices)
            #expect(all.out.contains("active ") && all.out.contains("[simulated]"))
            let some = try await assay(daemon, ["list", "--limit", "2", "--json"])
            let identifiers = some.lines.compactMap { Self.object($0)?["device_id"] as? String }
            #expect(identifiers == [devices[0], devices[1]])
            #expect(try await assay(daemon, ["list", "--subject", "anna"]).lines.count == 1)
            #expect(try await assay(daemon, ["list", "--state", "blocked"]).out.isEmpty)

            let block = try await assay(daemon, ["block", devices[0], "--reason", "stolen \u{1B}[31m"])
            #expect(block.status == 0 && block.out == "blocked: 1 registered device\n")
            #expect(
                try await assay(daemon, ["block", devices[0], "--reason", "stolen \u{1B}[31m"]).out.hasPrefix("still blocked"))
            #expect(try await phones[0].upload(client).outcome == "device_blocked")
            let shown = try await assay(daemon, ["get", devices[0]])
            #expect(shown.out.contains("by device since ") && shown.out.contains("stolen") && !shown.out.contains("\u{1B}"))
            let blocked = try await assay(daemon, ["list", "--state", "blocked"]).lines.map { String($0.prefix(36)) }
            #expect(blocked == [devices[0]])
            #expect(try await assay(daemon, ["unblock", devices[0]]).out == "unblocked: 1 registered device\n")
            let idle = try await assay(daemon, ["unblock", devices[0]])
            #expect(idle.status == 1 && idle.out.isEmpty && idle.err == "assay: there was no such block\n")
            #expect(try await phones[0].upload(client).outcome == "accepted")

            let subject = try await assay(daemon, ["block", "--subject", "anna", "--reason", "fraud", "--json"])
            #expect(Self.object(subject.out)?["devices"] as? Int == 1)
            #expect(try await phones[2].upload(client).outcome == "device_blocked")
            #expect(try await register(home.phone(), client, subject: "anna").outcome == "device_blocked")
            let keyID = Base64.url.encode(phones[1].key.keyID)
            #expect(try await assay(daemon, ["block", "--key-id", keyID, "--reason", "r"]).status == 0)
            #expect(try await phones[1].upload(client).outcome == "device_blocked")

            let unasked = try await assay(daemon, ["forget"] + devices, input: "y\n")
            #expect(unasked.status == 64 && unasked.err.contains("3 device records for good") && unasked.err.contains("--yes"))
            #expect(try await assay(daemon, ["list"]).lines.count == 3)
            let forgotten = try await assay(daemon, ["forget", "--yes"] + devices)
            #expect(forgotten.status == 0)
            let ofEachDevice = [
                "\(devices[0]) forgotten", "\(devices[1]) forgotten; its key stays blocked",
                "\(devices[2]) forgotten; its key stays blocked",
            ]
            #expect(forgotten.lines == ofEachDevice)
            #expect(try await assay(daemon, ["forget", "--yes", devices[0]]).status == 1)
            #expect(try await assay(daemon, ["get", devices[0]]).status == 1)
            #expect(try await phones[0].upload(client).outcome == "unknown_device")
            #expect(try await register(phones[0], client).outcome == "accepted")
            #expect(try await register(phones[1], client).outcome == "device_blocked")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("On a terminal the deletion is shown and confirmed")
        func asking() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            let device = try await register(phone, client, subject: "anna").device
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            let command = "'\(try Child.built("assay"))' device forget --app camera --reason 'asked for' \(device)"
            for (answer, status) in [("n", 1), ("", 1), ("y", 0)] {
                let ending = try await Child(
                    "/usr/bin/script", ["-qec", command, "/dev/null"], input: answer + "\n", environment: server
                ).ending()
                #expect(ending.status == status, "\(answer): \(ending)")
                #expect(
                    ending.out.contains("This deletes for good") && ending.out.contains("its tie to a subject"), "\(ending)")
                #expect(ending.out.contains("Forget 1 device record? [y/N]"), "\(ending)")
                #expect(try await assay(daemon, ["get", device]).status == (status == 0 ? 1 : 0))
            }
            let last = try await Child.run("assay", ["audit", "tail", "-n", "1"], environment: server)
            #expect(last.out.contains("  forget     camera  loopback-demo  \(device)  \"asked for\""), "\(last)")
            let long = String(repeating: "r", count: 257)
            #expect(try await assay(daemon, ["forget", "--yes", device, "--reason", long]).status == 64)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Blocks are listed, and a single one is looked up")
        func blocks() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = home.phone()
            let device = try await register(phone, client, subject: "anna").device
            let nothing = try await assay(daemon, ["blocks"])
            #expect(nothing.status == 0 && nothing.out.isEmpty && nothing.err == "nothing is blocked in the app camera\n")
            let targets = [[device], ["--subject", "berta"], ["--key-id", "hex:00ff"], ["--key-id", "hex:01"]]
            for (index, target) in targets.enumerated() {
                let blocked = try await assay(daemon, ["block"] + target + ["--reason", "reason \u{1B}[3\(index)m"])
                #expect(blocked.status == 0)
            }
            let all = try await assay(daemon, ["blocks"])
            #expect(all.status == 0 && all.lines.count == 4 && !all.out.contains("\u{1B}") && !all.out.contains("berta"))
            let ofDevice = try #require(all.lines.first)
            #expect(ofDevice.hasPrefix("device   \(device)  since 20"))
            #expect(ofDevice.hasSuffix(": reason \u{FFFD}[30m"))
            let columns = all.lines.dropFirst(2).map { String($0.prefix(15)) }
            #expect(columns == ["key      AP8=  ", "key      AQ==  "])

            let keys = try await assay(daemon, ["blocks", "--kind", "key", "--json"]).lines.map { Self.object($0) }
            let keyIDs = keys.map { $0?["key_id"] as? String }
            #expect(keyIDs == ["AP8", "AQ"])
            #expect(keys.allSatisfy { Set($0?.keys.map(\.self) ?? []) == ["by", "key_id", "key_id_hex", "reason", "since"] })
            #expect(keys.first??["by"] as? String == "key" && keys.first??["reason"] as? String == "reason \u{1B}[32m")
            #expect(try await assay(daemon, ["blocks", "--limit", "3"]).lines == Array(all.lines.prefix(3)))

            let berta = try await assay(daemon, ["blocks", "--subject", "berta", "--json"])
            let subject = try #require(Self.object(berta.out))
            #expect(berta.status == 0 && subject["by"] as? String == "subject")
            let hash = try #require(subject["subject_hash"] as? String)
            #expect(hash.utf8.count == 64 && all.lines[1].hasPrefix("subject  \(hash)  since "))
            #expect(try await assay(daemon, ["blocks", "--device", device]).lines == [all.lines[0]])
            #expect(try await assay(daemon, ["blocks", "--key-id", "hex:01"]).lines == [all.lines[3]])
            for target in [["--subject", "anna"], ["--key-id", "hex:02"]] {
                let none = try await assay(daemon, ["blocks"] + target)
                #expect(none.status == 1 && none.out.isEmpty && none.err == "assay: there is no such block\n")
            }
            let unknown = try await assay(daemon, ["blocks", "--device", DeviceID.random().description])
            #expect(unknown.status == 1 && unknown.out.isEmpty && unknown.err.contains("unknown_device"))
            #expect(try await assay(daemon, ["blocks", "--subject", ""]).status == 65)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A device is flagged and unflagged, and the app's policy goes by it")
        func flags() async throws {
            try configure {
                $0.replacing("camera: {app_attest: {", with: "camera: {device: {flags: {reject: [farm]}}, app_attest: {")
            }
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            let device = try await register(phone, client).device
            let set = try await assay(
                daemon, ["flag", device, "farm", "--reason", "case 12 \u{1B}[31m", "--expires", "2099-01-01T00:00:00Z"])
            #expect(set.status == 65 && set.err.contains("until_unix_ms must be after"), "\(set)")
            let first = try await assay(daemon, ["flag", device, "farm", "--reason", "case 12 \u{1B}[31m", "--expires", "2d"])
            #expect(first.status == 0 && first.out.hasPrefix("flagged: farm until 20"), "\(first)")
            #expect(try await phone.upload(client).outcome == "device_flagged")
            let shown = try await assay(daemon, ["get", device])
            #expect(shown.out.contains("  flag       farm by the caller loopback-demo, 20"), "\(shown)")
            #expect(shown.out.contains(": case 12 \u{FFFD}[31m") && !shown.out.contains("\u{1B}"))
            let listed = try await assay(daemon, ["list", "--flag", "farm"])
            #expect(listed.lines.count == 1 && listed.out.contains("[flagged: farm]"), "\(listed)")

            let again = try await assay(daemon, ["flag", device, "farm", "--json"])
            let object = try #require(Self.object(again.out))
            let members = object.keys.sorted()
            #expect(members == ["device_id", "flag", "until", "was_flagged"], "\(again)")
            #expect(object["device_id"] as? String == device && object["flag"] as? String == "farm")
            #expect(object["was_flagged"] as? Bool == true, "\(again)")
            let until = try #require((object["until"] as? String).flatMap { Timestamp(rfc3339: $0) })
            #expect(until > SystemClock().now().adding(milliseconds: 399 * 86_400_000))
            let flags = Self.object(try await assay(daemon, ["get", device, "--json"]).out)?["flags"] as? [[String: Any]]
            let flag = try #require(flags?.first)
            #expect(flags?.count == 1 && flag["caller"] as? String == "loopback-demo" && flag["plugin"] == nil, "\(flag)")

            let cleared = try await assay(daemon, ["unflag", device, "farm", "--reason", "a mistake"])
            #expect(cleared.status == 0 && cleared.out == "unflagged: farm\n", "\(cleared)")
            #expect(try await phone.upload(client).outcome == "accepted")
            let idle = try await assay(daemon, ["unflag", device, "farm"])
            #expect(idle.status == 1 && idle.out.isEmpty && idle.err == "assay: no such flag stood on the device\n", "\(idle)")
            let told = try await assay(daemon, ["unflag", device, "farm", "--json"])
            #expect(Self.object(told.out)?["was_flagged"] as? Bool == false && told.status == 1, "\(told)")
            #expect(try told.failure()["reason"] as? String == "no_such_flag")

            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            let audit = try await Child.run("assay", ["audit", "tail", "--device", device], environment: server)
            let recorded = audit.lines.filter { $0.contains("  flag_") }.map { String($0.drop { $0 != "f" }) }
            let start = "flag_set   camera  loopback-demo  \(device)  farm, until "
            try #require(recorded.count == 3, "\(audit)")
            #expect(recorded[0].hasPrefix(start) && recorded[0].hasSuffix("  \"case 12 \u{FFFD}[31m\""), "\(audit)")
            #expect(recorded[1].hasPrefix(start) && recorded[1].hasSuffix(", was set before"), "\(audit)")
            #expect(recorded[2] == "flag_clear  camera  loopback-demo  \(device)  farm  \"a mistake\"", "\(audit)")

            let id = try #require(DeviceID(device))
            for number in 1...8 { _ = try await client.flag(id, "flag_\(number)", app: phone.app) }
            let ninth = try await assay(daemon, ["flag", device, "farm"])
            #expect(ninth.status == 1 && ninth.out.isEmpty && ninth.err.contains("too_many_flags"), "\(ninth)")
            #expect(try await client.unflag(id, "flag_8", app: phone.app).wasFlagged)
            for command in ["flag", "unflag"] {
                let unknown = try await assay(daemon, [command, DeviceID.random().description, "farm"])
                #expect(unknown.status == 1 && unknown.err.contains("unknown_device"), "\(unknown)")
            }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A fleet is imported, and an interrupted import is resumed")
        func importing() async throws {
            let fleet = (0..<120).map { _ in home.phone() }
            var good = fleet.map { line($0.key) }
            let pem = try P256.Signing.PublicKey(x963Representation: fleet[1].key.publicKey)
            good[1] = line(fleet[1].key, publicKey: pem.pemRepresentation.replacing("\n", with: #"\n"#))
            good[2] = line(fleet[2].key, publicKey: try der(of: fleet[2].key))
            good[3] = line(fleet[3].key, #", "key_id": "\#(Base64.standard.encode(fleet[3].key.keyID))", "subject": "anna""#)
            good[4] = line(fleet[4].key, counter: 41)
            let file = try home.folder.write(good.joined(separator: "\n\n") + "\n", to: "fleet.jsonl")
            let unanswered = try await Child.run(
                "assay", ["device", "import", file, "--app", "camera", "--server", "127.0.0.1:1"])
            #expect(unanswered.status == 69 && unanswered.err.contains("run it again to go on"))

            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let half = good.prefix(60).joined(separator: "\n")
            let first = try await assay(daemon, ["import", "-", "--json"], input: half)
            #expect(first.status == 0 && Self.object(first.out)?["added"] as? Int == 60, "\(first)")
            let second = try await assay(daemon, ["import", file])
            #expect(second.status == 0)
            #expect(second.out == "60 added, 60 already there, 0 in conflict, 0 refused, 0 unreadable\n")
            #expect(second.err.isEmpty)
            for var phone in fleet.prefix(4) { #expect(try await phone.upload(client).outcome == "accepted") }
            var counted = fleet[4]
            let challenge = try await counted.challenge(.assert, client)
            #expect(try await client.patiently(try counted.upload(challenge, counter: 41)).outcome == "counter_not_increasing")
            #expect(try await client.patiently(try counted.upload(challenge, counter: 42)).outcome == "accepted")
            #expect(try await assay(daemon, ["list", "--subject", "anna"]).lines.first?.contains("[imported]") == true)

            let wrong = [
                line(fleet[0].key, #", "colour": "red""#), "not JSON", line(fleet[0].key, publicKey: "AAAA"),
                line(fleet[0].key, counter: -1), #"{"app_id": "x"}"#, line(fleet[0].key, #", "key_id": "!""#),
                line(fleet[0].key, #", "subject": "\#(String(repeating: "a", count: 257))""#), "[]",
                String(repeating: "x", count: 40_000), line(fleet[5].key, counter: 7),
                line(home.phone().key).replacing(TestHome.appID, with: "T.other"), line(home.phone().key),
            ]
            let bad = try await assay(daemon, ["import", "-"], input: wrong.joined(separator: "\n"))
            #expect(bad.status == 65)
            #expect(bad.out == "1 added, 0 already there, 1 in conflict, 1 refused, 9 unreadable\n")
            let told = [
                "1: unknown member \"colour\"", "2: not a JSON object", "3: \"public_key\"", "4: ",
                "5: \"public_key\" is missing",
                "6: \"key_id\" is not 32 bytes in hexadecimal", "7: subject must have at most 256", "8: ",
                "9: not UTF-8, or longer",
                "10: conflict: dev_", "11: refused: app_id_mismatch",
            ]
            for words in told { #expect(bad.err.contains("assay: standard input:\(words)"), "\(words)\n\(bad.err)") }
            #expect(try await assay(daemon, ["import", "-"], input: wrong[9]).status == 1)
            #expect(try await assay(daemon, ["import", home.folder.file("no")]).status == 65)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        private func der(of key: VirtualKey) throws -> String {
            Base64.url.encode(Array(try P256.Signing.PublicKey(x963Representation: key.publicKey).derRepresentation))
        }

        @Test("Devices that a new configuration no longer accepts are refused")
        func reconfigured() async throws {
            let daemon = try await TestDaemon(home)
            var client = try await daemon.connect()
            var (attested, imported) = (home.phone(), home.phone())
            #expect(try await register(attested, client).outcome == "accepted")
            #expect(try await assay(daemon, ["import", "-"], input: line(imported.key)).status == 0)
            #expect(try await attested.upload(client).outcome == "accepted")
            #expect(try await imported.upload(client).outcome == "accepted")
            await client.close()
            #expect(await daemon.stop().status == 0)

            let changes: [(old: String, new: String, attested: String, imported: String)] = [
                ("trust: {test_roots: [root.pem]}", "", "untrusted_root", "accepted"),
                (", accept_simulated: true", "", "simulated_not_accepted", "accepted"),
                ("accept_imported: true", "accept_imported: false", "accepted", "imported_not_accepted"),
                (
                    "[{app_id: \(TestHome.appID)}]", "[{app_id: \(TestHome.appID), environments: [development]}]",
                    "environment_mismatch", "environment_mismatch"
                ),
                ("[{app_id: \(TestHome.appID)}]", "[{app_id: \(TestHome.appID).next}]", "app_id_mismatch", "app_id_mismatch"),
            ]
            let text = home.folder.text("assayd.yaml")
            for change in changes {
                try configure { _ in text.replacing(change.old, with: change.new) }
                let daemon = try await TestDaemon(home)
                client = try await daemon.connect()
                #expect(try await attested.upload(client).outcome == change.attested, "\(change)")
                #expect(try await imported.upload(client).outcome == change.imported, "\(change)")
                if change.new.contains("accept_imported") {
                    let refused = try await assay(daemon, ["import", "-"], input: line(home.phone().key))
                    #expect(refused.status == 78 && refused.err.contains("imported_not_accepted"))
                }
                await client.close()
                #expect(await daemon.stop().status == 0)
            }
        }

        @Test("Every command has help, and wrong usage exits with 64")
        func usage() async throws {
            let words = [
                "get": ["--key-id", "dev_"], "list": ["--subject", "--state", "--limit", "--json"],
                "block": ["--subject", "--key-id", "--reason", "device_blocked"], "unblock": ["Exit status 1"],
                "blocks": ["--kind", "--device", "--subject", "--key-id", "--limit", "--json", "keyed hash", "Exit status 1"],
                "flag": ["--reason", "--expires", "device_flagged", "device.flags.reject", "Exit status 1"],
                "unflag": ["--reason", "Exit status 1"],
                "forget": ["blocked", "--yes", "--reason"], "import": ["public_key", "counter", "accept_imported", "78"],
            ]
            for (command, words) in words {
                let help = try await Child.run("assay", ["device", command, "--help"])
                #expect(help.status == 0)
                for word in words { #expect(help.out.contains(word), "\(command): \(word)") }
            }
            let device = DeviceID.random().description
            let mistakes = [
                ["flag", device, "--app", "camera"], ["flag", device, "farm"], ["flag", "anna", "farm", "--app", "camera"],
                ["flag", device, "Farm", "--app", "camera"], ["unflag", device, "a-b", "--app", "camera"],
                ["flag", device, "farm", "--app", "camera", "--expires", "30"],
                ["unflag", device, "farm", "--app", "camera", "--reason", String(repeating: "r", count: 257)],
                ["list"], ["list", "--app", "camera", "--state", "lost"], ["list", "--app", "camera", "--limit", "0"],
                ["block", "--app", "camera", "--reason", "r"], ["block", "--app", "camera", "--subject", "a"],
                ["block", "--app", "camera", "--subject", "a", "--key-id", "AA", "--reason", "r"],
                ["blocks"], ["blocks", "--app", "camera", "--kind", "phone"], ["blocks", "--app", "camera", "--limit", "0"],
                ["blocks", "--app", "camera", "--kind", "subject", "--subject", "a"],
                ["blocks", "--app", "camera", "--key-id", "AA", "--subject", "a"],
                ["blocks", "--app", "camera", "--device", "anna"],
                ["unblock", "--app", "camera"], ["forget", "--app", "camera"], ["import", "--app", "camera"],
            ]
            for mistake in mistakes {
                let ending = try await Child.run("assay", ["device"] + mistake)
                #expect(ending.status == 64 && ending.out.isEmpty, "\(mistake) \(ending)")
            }
        }
    }
}
