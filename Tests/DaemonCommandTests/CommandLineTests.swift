import AssayConfiguration
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Command line")
    struct CommandLineTests {
        // MARK: Without a daemon

        @Test("Every command has help")
        func help() async throws {
            let commands: [(product: String, [String], words: [String])] = [
                ("assay", [], ["USAGE: assay", "ASSAY_SERVER", "64 wrong usage", "conformance"]),
                (
                    "assay", ["challenge"],
                    ["--app", "--purpose", "--context", "--ttl", "--json", "--server", "--timeout", "--retries"]
                ),
                (
                    "assay", ["verify"],
                    [
                        "--challenge", "--attestation", "--assertion", "--key-attestation", "--key-signature", "--play-token",
                        "--device-check", "--payload", "--signals", "--key-id", "--offline-signature", "--captured-at",
                        "--all-failures", "--plugin-evidence",
                        "Exit status",
                    ]
                ),
                ("assay", ["prepare"], ["--app", "--body", "--source-address", "--out", "--json", "Exit status"]),
                ("assay", ["device"], ["get", "list", "block", "unblock", "blocks", "flag", "unflag", "forget", "import"]),
                ("assay", ["status"], ["--json", "--check", "Exit status"]),
                ("assay", ["audit"], ["tail", "export", "verify", "claims", "forget-claims"]),
                ("assay", ["audit", "tail"], ["--follow", "--since", "--device", "--caller", "--json"]),
                ("assay", ["audit", "export"], ["--out", "--resume", "--from"]),
                ("assay", ["audit", "verify"], ["--expect-head", "--public-key", "Exit status"]),
                ("assayd", ["audit", "verify"], ["--expect-head", "Exit status"]),
                ("assay", ["anchors"], ["--config"]),
                ("assay", ["simulate"], ["phone", "attest", "assert", "session", "android"]),
                ("assay", ["simulate", "android"], ["make", "attest", "sign", "capture", "play-token", "session"]),
                (
                    "assay", ["simulate", "android", "play-token"],
                    ["--beside-attestation", "--kind", "--package", "--app-verdict", "--device-verdict", "--testing"]
                ),
                ("assay", ["simulate", "android", "make"], ["--package", "--signer", "--level", "--unlocked"]),
                ("assay", ["simulate", "phone"], ["--app-id", "--environment", "--platform", "--os-version"]),
                ("assay", ["simulate", "attest"], ["--challenge", "--client-data", "--out"]),
                ("assay", ["simulate", "assert"], ["--challenge", "--payload", "--out"]),
                ("assay", ["simulate", "session"], ["--app", "--json"]), ("assay", ["conformance"], ["--kind", "--json"]),
                ("assay", ["inspect"], ["--client-data-hash", "--public-key", "--config", "--app", "--at", "--json"]),
                ("assayd", [], ["check-config", "run", "65"]),
                ("assayd", ["run"], ["--config", "--log-level", "--log-format", "--accept-clock", "SIGHUP"]),
                ("assayd", ["check-config"], ["file", "--json", "--user", "--strict", "65"]),
                ("assayd", ["forget-challenges"], ["backup", "--config"]),
            ]
            for (product, command, words) in commands {
                let help = try await Child.run(product, command + ["--help"])
                #expect(help.status == 0)
                #expect(help.err.isEmpty)
                #expect(help.out.hasPrefix("OVERVIEW: "))
                for word in words { #expect(help.out.contains(word), "\(product) \(command): \(word)") }
            }
            for product in ["assay", "assayd"] {
                let version = try await Child.run(product, ["--version"])
                #expect(version.status == 0)
                #expect(version.out == "0.1.0\n")
            }
        }

        @Test("Wrong usage exits with 64 and prints the usage")
        func usage() async throws {
            let mistakes = [
                ["frobnicate"], ["challenge"], ["challenge", "--app", "Camera", "--purpose", "assert"],
                ["challenge", "--app", "camera", "--purpose", "borrow"],
                ["challenge", "--app", "camera", "--purpose", "assert", "--timeout", "0"],
                ["challenge", "--app", "camera", "--purpose", "assert", "--ttl", "0"],
                ["verify", "--app", "camera", "--challenge", "AA", "--key-id", "AA"],
                ["verify", "--app", "camera", "--challenge", "AA", "--key-id", "AA", "--assertion", "a", "--attestation", "b"],
                ["verify", "--app", "camera", "--key-id", "AA", "--assertion", "a"],
                ["verify", "--app", "camera", "--challenge", "A!", "--key-id", "AA", "--assertion", "a"],
                ["verify", "--app", "camera", "--challenge", "AA", "--assertion", "a"],
                ["verify", "--app", "camera", "--challenge", "AA", "--key-id", "AA", "--play-token", "a"],
                ["verify", "--app", "camera", "--challenge", "AA", "--play-token", "a", "--assertion", "a"],
                ["verify", "--app", "camera", "--challenge", "AA", "--plugin-evidence", "scene-depth"],
                ["verify", "--app", "camera", "--challenge", "AA", "--plugin-evidence", "scene depth=map.gz"],
                ["verify", "--app", "camera", "--bundle", "a", "--plugin-evidence", "scene-depth=map.gz"],
                ["verify", "--app", "camera", "--plugin-evidence", "scene-depth=map.gz", "--payload", "photo.jpg"],
                ["verify", "--app", "camera", "--plugin-evidence", "scene-depth=map.gz", "--signals", "capture.json"],
                ["verify", "--app", "camera", "--plugin-evidence", "scene-depth=map.gz", "--play-token", "a"],
                [
                    "verify", "--app", "camera", "--plugin-evidence", "a=b", "--key-id", "AA", "--offline-signature", "c",
                    "--captured-at", "1", "--payload", "d", "--play-token", "e",
                ],
                ["prepare", "--app", "camera"], ["prepare", "capture-session"],
                ["prepare", "Capture-Session", "--app", "camera"],
                ["device", "--app", "camera"], ["device", "--app", "camera", "dev_1"],
                ["simulate", "attest", "nowhere"], ["simulate", "phone", "nowhere", "--app-id", "camera"],
                ["simulate", "android", "make", "nowhere", "--package", "com.example.camera", "--signer", "AAAA"],
                ["simulate", "attest", "nowhere", "--challenge", "AA", "--client-data", "x"],
            ]
            for mistake in mistakes {
                let ending = try await Child.run("assay", mistake)
                #expect(ending.status == 64, "\(mistake) \(ending)")
                #expect(ending.err.contains("Usage: "), "\(mistake)")
                #expect(ending.out.isEmpty)
            }
            #expect(try await Child.run("assayd", []).status == 64)
            #expect(try await Child.run("assayd", ["--config"]).status == 64)
            #expect(try await Child.run("assayd", ["check-config"]).status == 64)
        }

        @Test("A configuration is reported as valid, or with all its errors")
        func checkConfig() async throws {
            let folder = try TemporaryFolder()
            try folder.write(SmallConfiguration.text.replacing("a.sock", with: "a.sock, mode: 0666"), to: "good.yaml")
            let good = try await Child.run("assayd", ["check-config", folder.file("good.yaml")])
            #expect(good.status == 0)
            #expect(good.out.hasPrefix(folder.file("good.yaml") + ": good\n"), "\(good)")
            #expect(good.out.contains("TEAMID1234.com.example.photos (production)"))
            #expect(good.out.contains("  knows handler (unix user 1001): verify of all apps\n"), "\(good)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("ledger.db")), "it only looks")

            let text = SmallConfiguration.text.replacing("store:", with: "stroe:").replacing("verify", with: "verfy")
            try folder.write(text, to: "bad.yaml")
            let path = folder.file("bad.yaml")
            for command in [
                ["check-config", path], ["check-config", "--config", path], ["--config", path], ["run", "-c", path],
            ] {
                let bad = try await Child.run("assayd", command)
                #expect(bad.status == 65)
                #expect(bad.out.isEmpty)
                #expect(bad.err.contains(path + ":2: unknown key \"stroe\"; did you mean \"store\"?\n"))
                #expect(bad.err.contains(path + ":3: callers.known[0].roles[0]: want one of"))
            }
            let missing = try await Child.run("assayd", ["check-config", folder.file("missing.yaml")])
            #expect(missing.status == 65)
            #expect(missing.err.hasPrefix(folder.file("missing.yaml") + ": cannot be read"))
            // The operator creates the ledger's folder.
            let lost = SmallConfiguration.text.replacing("ledger.db", with: "nowhere/ledger.db")
            try folder.write(lost, to: "lost.yaml")
            let unable = try await Child.run("assayd", ["--config", folder.file("lost.yaml")])
            #expect(unable.status == 69)
            #expect(unable.err.contains("/nowhere does not exist"), "\(unable)")
            let foretold = try await Child.run("assayd", ["check-config", folder.file("lost.yaml")])
            #expect(foretold.status == 0 && foretold.lines.first?.contains(": would not work here: 1 failure") == true)
            let strict = try await Child.run("assayd", ["check-config", "--strict", folder.file("lost.yaml")])
            #expect(strict.status == 1 && strict.out == foretold.out && strict.err.isEmpty, "\(strict)")
            for (name, status) in [("good.yaml", 0), ("bad.yaml", 65), ("missing.yaml", 65)] as [(String, Int32)] {
                let strict = try await Child.run("assayd", ["check-config", "--strict", folder.file(name)])
                #expect(strict.status == status, "\(strict)")
            }
            #expect(
                foretold.out.contains(
                    "  failure: line 2: store.path: the folder \(folder.file("nowhere")) does not exist: mkdir -p"))
            let json = try await Child.run("assayd", ["check-config", "--json", path])
            let object = try #require(Self.object(json.out))
            #expect(json.status == 65 && json.err.isEmpty && object["good"] as? Bool == false)
            #expect((object["problems"] as? [[String: Any]])?.contains { $0["line"] as? Int == 3 } == true)
            let other = try await Child.run("assayd", ["check-config", "--user", "no-such-user-here", path])
            #expect(other.status == 64 && other.err.contains("no user \"no-such-user-here\""))
            if getuid() == 0, UnixAccount(named: "nobody") != nil {
                let closed = try await Child.run("assayd", ["check-config", "--user", "nobody", folder.file("good.yaml")])
                #expect(closed.out.contains("the user nobody may not write into the folder \(folder.path)"), "\(closed)")
            }
        }

        @Test("Anchors are listed, for people and for tools")
        func anchors() async throws {
            let builtIn = try await Child.run("assay", ["anchors"])
            #expect(builtIn.status == 0)
            #expect(builtIn.out.contains("Apple"))
            #expect(!builtIn.out.contains("test root"))
            let home = try TestHome()
            let both = try await Child.run("assay", ["anchors", "--json", "--config", home.configuration])
            #expect(both.status == 0)
            let objects = try both.lines.map { try #require(Self.object($0)) }
            #expect(objects.count(where: { $0["simulated"] as? Bool == true }) == 1)
            #expect(objects.count(where: { $0["simulated"] as? Bool == false }) >= 1)
            for object in objects { #expect((object["spki_sha256"] as? String)?.count == 64) }
            let missing = try await Child.run("assay", ["anchors", "--config", home.folder.file("no.yaml")])
            #expect(missing.status == 65)
        }

        @Test("Inspection exits with 1 if a check fails, 2 if not all are judged, 65 if the file breaks")
        func inspect() async throws {
            let folder = try TemporaryFolder()
            var phone = VirtualPhone(authority: TestAuthority(seed: "inspection"), appID: "TEAMID1234.com.example.camera")
            var key = phone.makeKey()
            // In base64url it begins with a dash, and is not an option nevertheless.
            let hash = [UInt8](repeating: 0xFB, count: 32)
            let assertion = try key.assert(clientDataHash: hash)
            try folder.write(Base64.standard.encode(assertion), to: "assertion.b64")
            try folder.write(Base64.standard.encode(assertion.dropLast()), to: "cut.b64")
            let known = ["--public-key", "hex:" + Hex.encode(key.publicKey), "--client-data-hash", Base64.url.encode(hash)]

            let good = try await Child.run("assay", ["inspect", folder.file("assertion.b64")] + known)
            // The app and the counter are not given.
            #expect(good.status == 2 && good.out.contains("not judged: no app was named"), "\(good)")
            #expect(good.out.hasPrefix("App Attest assertion  bytes 0..<\(assertion.count)\n"), "\(good)")
            #expect(good.out.contains("✓ signature"))
            let bad = try await Child.run("assay", ["inspect", folder.file("assertion.b64"), "--counter", "9"] + known)
            #expect(bad.status == 1)
            #expect(bad.out.contains("counter_not_increasing"))
            let cut = try await Child.run("assay", ["inspect", folder.file("cut.b64"), "--json"])
            #expect(cut.status == 65)
            let explanation = try #require(Self.object(cut.out)?["explanation"] as? [String: Any])
            let problem = try #require(explanation["problem"] as? [String: Any])
            #expect(problem["code"] as? String == "malformed_cbor" && problem["offset"] is Int)
        }

        @Test("An unreachable daemon is reported in one line, with exit status 69")
        func noDaemon() async throws {
            let folder = try TemporaryFolder()
            let places = ["127.0.0.1:1", "unix:" + folder.file("no.sock")]
            for place in places {
                let status = try await Child.run("assay", ["status", "--server", place])
                #expect(status.status == 69)
                #expect(status.out.isEmpty)
                #expect(status.err.hasPrefix("assay: UNAVAILABLE (connect_failed): "), "\(status)")
                #expect(status.err.components(separatedBy: place).count == 2, "the address is named once: \(status)")
                #expect(status.err.split(separator: "\n").count == 1, "\(status)")
            }
            let environment = try await Child.run("assay", ["status"], environment: ["ASSAY_SERVER": "127.0.0.1:1"])
            #expect(environment.status == 69)
            #expect(environment.err.contains("127.0.0.1:1"))
            let empty = try await Child.run("assay", ["status"], environment: ["ASSAY_SERVER": ""])
            #expect(empty.status == 64 && empty.out.isEmpty && empty.err.contains("ASSAY_SERVER is empty"), "\(empty)")
            let named = try await Child.run("assay", ["status", "--server", "127.0.0.1:1"], environment: ["ASSAY_SERVER": ""])
            #expect(named.status == 69, "an option comes first: \(named)")
            let nonsense = try await Child.run("assay", ["status", "--server", "somewhere"])
            #expect(nonsense.status == 65)
            #expect(nonsense.err.contains("host:port"))
        }

        @Test("Unreadable input is reported, with exit status 65")
        func unreadableInput() async throws {
            let folder = try TemporaryFolder()
            let challenge = Base64.url.encode([UInt8](repeating: 1, count: 54))
            let evidence = try await Child.run(
                "assay",
                ["verify", "--app", "camera", "--challenge", challenge, "--key-id", "AA", "--assertion", folder.file("no")])
            #expect(evidence.status == 65)
            #expect(evidence.err.contains(folder.file("no")))
            for command in ["attest", "assert"] {
                let phone = try await Child.run("assay", ["simulate", command, folder.file("no"), "--challenge", challenge])
                #expect(phone.status == 65)
                #expect(phone.err.contains("assay simulate phone"))
            }
            try folder.write("not a phone", to: "key")
            try folder.write("nor an authority", to: "authority")
            let broken = try await Child.run("assay", ["simulate", "attest", folder.path, "--challenge", challenge])
            #expect(broken.status == 65)
            #expect(broken.err.contains("not readable"))
            let place = folder.file("key") + "/phone"
            let nowhere = try await Child.run("assay", ["simulate", "phone", place, "--app-id", "T.a"])
            #expect(nowhere.status == 65 && nowhere.err == "assay: the folder \(place) cannot be made\n", "\(nowhere)")
        }

        // MARK: With a daemon

        /// A daemon that trusts the phone in the folder `phone` beside its configuration.
        private func phoneAndDaemon() async throws -> (home: TestHome, phone: String, daemon: TestDaemon) {
            let home = try TestHome()
            let phone = home.folder.file("phone")
            let made = try await Child.run("assay", ["simulate", "phone", phone, "--app-id", TestHome.appID])
            #expect(made.status == 0)
            #expect(made.out.contains("root    \(phone)/root.pem"))
            let text = home.folder.text("assayd.yaml").replacing("[root.pem]", with: "[phone/root.pem]")
            try home.folder.write(text, to: "assayd.yaml")
            return (home, phone, try await TestDaemon(home))
        }

        @Test("Only the owner can read a phone's secrets")
        func phoneFolder() async throws {
            let folder = try TemporaryFolder()
            let path = folder.file("phone")
            #expect(try await Child.run("assay", ["simulate", "phone", path, "--app-id", "T.a"]).status == 0)
            for (name, mode) in [("key", 0o600), ("key-id", 0o600), ("authority", 0o600), ("root.pem", 0o644), ("", 0o700)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(name)")
            }
            let root = folder.text("phone/root.pem")
            #expect(try await Child.run("assay", ["simulate", "phone", path, "--app-id", "T.a"]).status == 0)
            #expect(folder.text("phone/root.pem") == root, "the authority is kept")
        }

        @Test("Challenge, attest, verify, assert, device and status work together")
        func wholeWay() async throws {
            let (home, phone, daemon) = try await phoneAndDaemon()
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            func assay(_ arguments: String..., input: String = "") async throws -> Child.Ending {
                try await Child.run("assay", arguments, input: input, environment: server)
            }

            let enrolment = try await assay("challenge", "--app", "camera", "--purpose", "register", "--context", "alice")
            #expect(enrolment.status == 0)
            let challenge = enrolment.out.trimmingCharacters(in: .newlines)
            #expect(Base64.url.decode(challenge)?.count == 54)
            let evidence = home.folder.file("attestation.cbor")
            let attest = try await assay("simulate", "attest", phone, "--challenge", challenge, "--out", evidence)
            #expect(attest.status == 0)
            let keyID = try #require(attest.lines.first?.words.last)
            let register = [
                "verify", "--app", "camera", "--challenge", challenge, "--context", "alice", "--key-id", keyID, "--attestation",
                evidence,
            ]
            let registered = try await Child.run("assay", register, environment: server)
            #expect(registered.status == 0, "\(registered)")
            #expect(registered.out.hasPrefix("ACCEPTED  assurance secure_element  [simulated]"))
            let again = try await Child.run("assay", register, environment: server)
            #expect(again.status == 1)
            #expect(again.out.hasPrefix("REJECTED  challenge_reused (check commit, retry: new_challenge)"))
            let otherContext = try await Child.run(
                "assay", register.map { $0 == "alice" ? "mallory" : $0 }, environment: server)
            #expect(otherContext.out.hasPrefix("REJECTED  challenge_invalid"))

            let asked = try await assay("challenge", "--app", "camera", "--purpose", "assert", "--ttl", "60", "--json")
            let issued = try #require(Self.object(asked.out))
            #expect(Set(issued.keys) == ["challenge", "expires_at", "purpose", "app"])
            let fresh = try #require(issued["challenge"] as? String)
            let photo = try home.folder.write("a photo", to: "photo")
            // Base64 from standard output is read from standard input.
            let assertion = try await assay("simulate", "assert", phone, "--challenge", fresh, "--payload", photo)
            #expect(assertion.status == 0)
            let upload = try await assay(
                "verify", "--app", "camera", "--challenge", fresh, "--key-id", keyID, "--assertion", "-", "--payload", photo,
                "--json", input: assertion.out)
            #expect(upload.status == 0, "\(upload)")
            let verdict = try #require(Self.object(upload.out))
            #expect(verdict["decision"] as? String == "accepted")
            #expect(verdict["simulated"] as? Bool == true)
            let device = try #require(verdict["device_id"] as? String)
            let forged = try await assay(
                "verify", "--app", "camera", "--challenge", fresh, "--key-id", keyID, "--assertion", "-", "--payload", photo,
                "--json", input: "AAAA")
            #expect(forged.status == 1)
            let refusal = try #require(Self.object(forged.out))
            #expect(refusal["decision"] as? String == "rejected")
            #expect(refusal["reason"] is String && refusal["retry"] is String && refusal["check"] is String)

            for name in [[device], ["--key-id", keyID]] {
                let shown = try await Child.run("assay", ["device", "--app", "camera", "--json"] + name, environment: server)
                #expect(shown.status == 0)
                let record = try #require(Self.object(shown.out))
                #expect(record["device_id"] as? String == device)
                #expect((record["counter"] as? NSNumber)?.intValue == 1)
                #expect(record["state"] as? String == "active")
            }
            #expect(try await assay("device", "--app", "camera", device).out.hasPrefix(device + "  [simulated]\n"))
            let unknown = try await assay("device", "--app", "camera", "dev_" + String(repeating: "0", count: 32))
            #expect(unknown.status == 1)
            #expect(unknown.err.contains("NOT_FOUND"))
            let misspelt = try await assay("device", "--app", "nothing", device)
            #expect(misspelt.status == 65 && misspelt.err.contains("unknown app"), "\(misspelt)")
            let badRequest = try await assay("challenge", "--app", "camera", "--purpose", "assert", "--ttl", "4000")
            #expect(badRequest.status == 65)
            #expect(badRequest.err.contains("ttl_ms"))

            let status = try await assay("status", "--json")
            #expect(status.status == 0)
            let facts = try #require(Self.object(status.out))
            #expect((facts["store"] as? [String: Any])?["devices"] as? Int == 1)
            #expect((facts["traffic"] as? [String: Any])?["accepted"] as? Int == 2)
            let text = try await assay("status")
            #expect(text.out.hasPrefix("assayd 0.1.0, started "))
            #expect(text.out.contains("1 devices, 3 audit records"))
            #expect(await daemon.stop().status == 0)
        }

        @Test("A phone's session with its attackers exits with 0 if every verdict is right")
        func session() async throws {
            let (home, phone, daemon) = try await phoneAndDaemon()
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            let session = try await Child.run("assay", ["simulate", "session", phone, "--app", "camera"], environment: server)
            #expect(session.status == 0, "\(session)")
            #expect(session.lines.last == "11 of 11 verdicts are as they have to be")
            // The same phone again: it is known, and everything is as it has to be all the same.
            let again = try await Child.run("assay", ["simulate", "session", phone, "--app", "camera"], environment: server)
            #expect(again.status == 0 && again.lines.last == "11 of 11 verdicts are as they have to be", "\(again)")
            #expect(again.out.contains("REJECTED  key_already_registered"), "\(again)")
            let json = try await Child.run(
                "assay", ["simulate", "session", phone, "--app", "camera", "--json"], environment: server)
            let steps = try json.lines.map { try #require(Self.object($0)) }
            #expect(steps.count == 11)
            for step in steps { #expect(Set(step.keys) == ["step", "expected", "as_expected", "verdict"]) }
            #expect(json.status == 0 && steps.allSatisfy { $0["as_expected"] as? Bool == true }, "\(json)")
            // A phone that the daemon does not trust.
            let unknown = home.folder.file("stranger")
            _ = try await Child.run("assay", ["simulate", "phone", unknown, "--app-id", TestHome.appID])
            let stranger = try await Child.run(
                "assay", ["simulate", "session", unknown, "--app", "camera"], environment: server)
            #expect(stranger.status == 1)
            #expect(stranger.out.contains("untrusted_root"))
            #expect(await daemon.stop().status == 0)
        }

        @Test("A call that is not permitted exits with 77")
        func denied() async throws {
            let home = try TestHome(
                listen: ["unix: assay.sock"],
                callers: "{known: [{name: handler, unix_user: \(getuid()), roles: [verify], apps: all}]}")
            let daemon = try await TestDaemon(home)
            let server = try daemon.address("unix")
            let status = try await Child.run("assay", ["status", "--server", server])
            #expect(status.status == 77)
            #expect(status.err == "assay: \(server): PERMISSION_DENIED (permission_denied): the caller may not do this\n")
            #expect(
                try await Child.run("assay", ["challenge", "--server", server, "--app", "camera", "--purpose", "assert"]).status
                    == 0)
            #expect(await daemon.stop().status == 0)
        }

        @Test("The status counts refused calls and ended connections, and the log names their callers")
        func traces() async throws {
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let port = try #require(try daemon.address("tcp").split(separator: ":").last.flatMap { UInt16($0) })
            let socket = try #require(PlainSocket(port: port, from: PlainSocket.otherMachine))
            socket.say(PlainFrame.call(1, "/no", []) + [0, 0, 0, 0])
            socket.ignore()
            let server = ["ASSAY_SERVER": try daemon.address("tcp")]
            let status = try await Child.run("assay", ["status"], environment: server)
            let start = try #require(status.lines.firstIndex { $0.hasPrefix("  refused ") })
            #expect(
                status.lines[start...].prefix(4) == [
                    "  refused   calls, before or in place of a method", "              1 unknown_method",
                    "  ended     connections", "              1 empty_frame",
                ])
            let json = try await Child.run("assay", ["status", "--json"], environment: server)
            let traffic = try #require(Self.object(json.out)?["traffic"] as? [String: Any])
            #expect(traffic["refused_calls"] as? [String: Int] == ["unknown_method": 1])
            #expect(traffic["ended_connections"] as? [String: Int] == ["empty_frame": 1])
            let line = try #require(daemon.child.err.split(separator: "\n").first { $0.contains("empty_frame") })
            #expect(line.contains(" warning  ended a connection ") && line.contains("peer=\"tcp 127.0.0.2 port "))
            #expect(await daemon.stop().status == 0)
        }

        private static func object(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }
    }
}
