import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// A fleet's life with the command line and with the client in Python, against a daemon.
    @Suite("Commands for a fleet, with a daemon")
    struct FleetCommandTests {
        private let home: TestHome
        private let daemon: TestDaemon

        /// A CA of its own, and a daemon with a fleet and three callers.
        init() async throws {
            let files = try TemporaryFolder()
            home = try TestHome(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", in: files)
            let made = try await Child.run("assay", ["ca", "init", files.file("ca")])
            try #require(made.status == 0, "\(made)")
            try files.write(
                """
                listen: [{tcp: 127.0.0.1:0}]
                store: {path: ledger.sqlite}
                callers: {loopback_demo: true}
                log: {level: trace}
                provisioning:
                  authorities:
                    - name: issuing-1
                      certificate: ca/issuing-1.pem
                      key: ca/issuing-1.key
                      passphrase_file: ca/issuing-1.passphrase
                apps:
                  cameras:
                    provisioning: {fleet: {manufacturer: Example Cameras, generate_keys: true}}
                    certificate_bundle: {}
                """, to: "assayd.yaml")
            daemon = try await TestDaemon(home)
        }

        private func assay(_ arguments: String...) async throws -> Child.Ending {
            try await Child.run("assay", arguments, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        }

        private func file(_ name: String) -> String { home.folder.file(name) }

        private func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
        }

        private func provision(_ serial: String, into folder: String, _ more: String...) async throws -> Child.Ending {
            let words = ["provision", "device", "--app", "cameras", "--serial", serial, "--out-dir", file(folder)]
            return try await Child.run("assay", words + more, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        }

        @Test("Secrets of a provisioned device are in files of its owner, and in no output, log or database")
        func secrets() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").out == "added 1 serial number\n")
            let ending = try await provision("CAM-1", into: "device")
            #expect(ending.status == 0 && ending.out.hasPrefix("PROVISIONED  dev_"), "\(ending)")
            for name in ["secret.hex", "key-tables.json", "private-key.pem"] { #expect(try mode("device/" + name) == 0o600) }

            let secret = home.folder.text("device/secret.hex").trimmingCharacters(in: .newlines)
            #expect(secret.count == 64)
            let json = try JSONSerialization.jsonObject(with: Data(home.folder.text("device/key-tables.json").utf8))
            let tables = try #require((json as? [String: Any])?["key_tables"] as? [[String]])
            #expect(tables.count == 3 && tables.allSatisfy { $0.count == 1000 })
            let pem = home.folder.text("device/private-key.pem")
            let body = String(pem.split(separator: "\n").dropFirst().first ?? "")
            let hidden = [secret, try #require(tables.first?.first), body]

            let key = try await Child("/usr/bin/openssl", ["pkey", "-in", file("device/private-key.pem"), "-pubout"]).ending()
            let certified = try await Child(
                "/usr/bin/openssl", ["x509", "-in", file("device/certificate.pem"), "-noout", "-pubkey"]
            ).ending()
            #expect(key.out == certified.out && key.status == 0, "the private key is the certified one")

            await daemon.stop()
            let database = try Data(contentsOf: URL(fileURLWithPath: file("ledger.sqlite")))
            for text in hidden {
                #expect(!ending.out.contains(text) && !ending.err.contains(text))
                #expect(!daemon.child.err.contains(text))
                #expect(database.range(of: Data(text.utf8)) == nil)
                if let bytes = Hex.decode(text) { #expect(database.range(of: Data(bytes)) == nil) }
            }
        }

        @Test("A device is provisioned by allow-list or token, once, and the same request gets the same answer")
        func permits() async throws {
            #expect(try await provision("CAM-1", into: "a").out.contains("REJECTED  not_enrolled"))
            let made = try await assay(
                "enrol", "add", "--app", "cameras", "--tokens", "2", "--expires", "30d", "--out", file("tokens"))
            #expect(made.status == 0, "\(made)")
            #expect(try mode("tokens") == 0o600)
            let tokens = home.folder.text("tokens").split(separator: "\n").map(String.init)
            #expect(tokens.count == 2)
            let token = try home.folder.write(tokens[0], to: "token")
            #expect(try await assay("simulate", "camera", "make", file("camera"), "--serial", "CAM-1").status == 0)
            #expect(try await assay("simulate", "camera", "csr", file("camera"), "--out", file("csr")).status == 0)
            let more = ["--token-file", token, "--csr", file("csr"), "--idempotency-key", "CAM-1"]
            let first = try await provision("CAM-1", into: "a", more[0], more[1], more[2], more[3], more[4], more[5])
            #expect(first.status == 0, "\(first)")
            let again = try await provision("CAM-1", into: "b", more[0], more[1], more[2], more[3], more[4], more[5])
            #expect(again.status == 0 && again.out.contains("[repeated]"), "\(again)")
            for name in ["secret.hex", "key-tables.json", "certificate.pem", "chain.pem"] {
                #expect(home.folder.text("a/" + name) == home.folder.text("b/" + name), "\(name)")
            }
            let other = try await provision("CAM-1", into: "c", "--csr", file("csr"))
            #expect(other.status == 1 && other.out.contains("already_provisioned"), "\(other)")
            let used = try await provision("CAM-2", into: "c", "--csr", file("csr"), "--token", tokens[0])
            #expect(used.status == 1 && used.out.contains("not_enrolled"), "\(used)")

            let listed = try await assay("enrol", "list", "--app", "cameras")
            #expect(listed.lines.count == 2 && listed.lines.count { $0.contains("used by dev_") } == 1, "\(listed)")
            let unused = try await assay("enrol", "list", "--app", "cameras", "--state", "unused")
            let digest = try #require(unused.lines.first?.words.dropFirst().first)
            #expect(try await assay("enrol", "remove", "--app", "cameras", "--token-digest", digest).out == "removed\n")
            #expect(try await assay("enrol", "remove", "--app", "cameras", "--token-digest", digest).status == 1)
            await daemon.stop()
        }

        @Test("A certificate is listed, shown, revoked once, and in the revocation list that OpenSSL reads")
        func revocation() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").status == 0)
            #expect(try await provision("CAM-1", into: "device").status == 0)
            let row = try #require(try await assay("cert", "list", "--app", "cameras").lines.first)
            let serial = String(row.split(separator: " ").first ?? "")
            let shown = try await assay("cert", "get", "--app", "cameras", serial, "--out", file("shown.pem"))
            #expect(shown.out.contains("state      good") && shown.out.contains("key        generated"), "\(shown)")
            #expect(home.folder.text("shown.pem") == home.folder.text("device/certificate.pem"))

            let empty = try await assay("crl", "get", "--json", "--form", "der", "--out", file("before.crl"))
            #expect(empty.out.contains(#""certificates" : 0"#), "\(empty)")
            let revoked = try await assay(
                "cert", "revoke", "--app", "cameras", serial, "--reason", "keyCompromise", "--yes")
            #expect(revoked.out.hasPrefix("\(serial) revoked: keyCompromise at "), "\(revoked)")
            let again = try await assay("cert", "revoke", "--app", "cameras", serial, "--reason", "superseded", "--yes")
            #expect(again.status == 0 && again.out.contains("was revoked before: keyCompromise"), "\(again)")
            #expect(try await assay("cert", "list", "--app", "cameras", "--state", "good").out.isEmpty)
            #expect(try await assay("cert", "revoke", "--app", "cameras", "0102", "--yes").status == 1)

            let list = try await assay("crl", "get", "--out", file("crl.pem"))
            #expect(list.status == 0 && list.out.contains("1 certificate\n"), "\(list)")
            let read = try await Child("/usr/bin/openssl", ["crl", "-in", file("crl.pem"), "-noout", "-text"]).ending()
            #expect(read.out.uppercased().contains(serial.uppercased()) && read.out.contains("Key Compromise"), "\(read)")
            let cas = try await assay("ca", "list", "--out", file("cas.pem"))
            #expect(cas.status == 0 && cas.out.contains("state      signing"), "\(cas)")
            let verified = try await Child(
                "/usr/bin/openssl",
                [
                    "verify", "-crl_check", "-CAfile", file("cas.pem"), "-CRLfile", file("crl.pem"),
                    file("device/certificate.pem"),
                ]
            ).ending()
            #expect(verified.status == 2 && verified.err.contains("certificate revoked"), "\(verified)")
            await daemon.stop()
        }

        @Test(
            "Certificates that were renewed are revoked for key compromise, which the command says before it asks and afterwards"
        )
        func compromise() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").status == 0)
            #expect(try await assay("simulate", "camera", "make", file("device"), "--serial", "CAM-1").status == 0)
            #expect(try await assay("simulate", "camera", "csr", file("device"), "--out", file("csr")).status == 0)
            #expect(try await provision("CAM-1", into: "device", "--csr", file("csr")).status == 0)
            for (key, next) in [("device/key.pem", "second"), ("second.key", "third")] {
                let request = try await Child(
                    "/usr/bin/openssl",
                    [
                        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x",
                        "-keyout", file(next + ".key"), "-out", file(next + ".csr"),
                    ]
                ).ending()
                #expect(request.status == 0, "\(request)")
                let renewed = try await assay(
                    "provision", "renew", "--app", "cameras", "--key", file(key), "--csr", file(next + ".csr"), "--out",
                    file(next + ".pem"))
                #expect(renewed.status == 0, "\(renewed)")
            }
            let serials = try await assay("cert", "list", "--app", "cameras").lines.map {
                String($0.split(separator: " ").first ?? "")
            }
            try #require(serials.count == 3)
            for (serial, origin) in zip(serials.dropFirst(), serials) {
                let shown = try await assay("cert", "get", "--app", "cameras", serial)
                #expect(shown.out.contains("  origin     renewed from \(origin)\n"), "\(shown)")
            }
            #expect(try await !assay("cert", "get", "--app", "cameras", serials[0]).out.contains("renewed from"))

            let words = ["cert", "revoke", "--app", "cameras", serials[0], "--reason"]
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            // `script` gives the command a terminal.
            let command = ([try Child.built("assay")] + words + ["keyCompromise"]).joined(separator: " ")
            let declined = try await Child(
                "/usr/bin/script", ["-qec", command, "/dev/null"], input: "n\n", environment: environment
            ).ending()
            let text = declined.out.replacing("\r\n", with: "\n")
            #expect(
                text.contains("will also be revoked: 2 certificates renewed from it, directly or through others\n"), "\(text)")
            #expect(text.contains("  \(serials[1])  good") && text.contains("  \(serials[2])  good"), "\(text)")
            #expect(declined.status == 1 && text.contains("nothing was revoked"), "\(declined)")

            let superseded = try await Child.run("assay", words + ["superseded", "--yes"], environment: environment)
            #expect(superseded.lines.count == 1 && superseded.out.contains(" revoked: superseded at "), "\(superseded)")
            let compromised = try await Child.run("assay", words + ["keyCompromise", "--yes"], environment: environment)
            #expect(compromised.out.contains("was revoked before: superseded at "), "\(compromised)")
            let alsoRevoked = [
                "also revoked: 2 certificates renewed from it, directly or through others", "  \(serials[1])",
                "  \(serials[2])",
            ]
            let others = Array(compromised.lines.dropFirst())
            #expect(others == alsoRevoked, "\(compromised)")
            let again = try await Child.run(
                "assay", words + ["keyCompromise", "--yes", "--json"], environment: environment)
            #expect(again.out.contains("\"also_revoked_count\" : 0"), "\(again)")
            #expect(try await assay("cert", "list", "--app", "cameras", "--state", "good").out.isEmpty)
            let list = try await assay("crl", "get", "--out", file("crl.pem"))
            #expect(list.status == 0 && list.out.contains("3 certificates\n"), "\(list)")
            await daemon.stop()
        }

        @Test("A device, its certificates and its permission are found by its serial number, and a revoked certificate is told")
        func serialNumber() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1", "--serial", "CAM-2").status == 0)
            for serial in ["CAM-1", "CAM-2"] { #expect(try await provision(serial, into: serial).status == 0) }
            let found = try await assay("device", "get", "--app", "cameras", "--serial", "CAM-1")
            #expect(
                found.out.contains("claim      device_serial = CAM-1") && found.out.contains("certs      1 good"), "\(found)")
            let unknown = try await assay("device", "get", "--app", "cameras", "--serial", "CAM-9")
            #expect(unknown.status == 1 && unknown.err.contains("unknown_device"), "\(unknown)")
            let both = try await assay("device", "get", "--app", "cameras", "--serial", "CAM-1", "--key-id", "AA")
            #expect(both.status == 64 && both.err.contains("Give one of a device id, --key-id and --serial"), "\(both)")
            let listed = try await assay("device", "list", "--app", "cameras", "--serial", "CAM-1")
            #expect(listed.lines.count == 1 && !listed.out.contains("certificate"), "\(listed)")

            let row = try await assay("cert", "list", "--app", "cameras", "--serial", "CAM-1")
            #expect(row.lines.count == 1, "\(row)")
            let number = String(row.out.split(separator: " ").first ?? "")
            #expect(try await assay("cert", "revoke", "--app", "cameras", number, "--yes").status == 0)
            let told = try await assay("device", "list", "--app", "cameras", "--no-longer-good")
            #expect(told.lines.count == 1 && told.out.contains("[no longer good: revoked]"), "\(told)")
            let shown = try await assay("device", "get", "--app", "cameras", "--serial", "CAM-1")
            #expect(shown.out.contains("revoked (certificate), it has no good certificate: 1 revoked"), "\(shown)")
            let json = try await assay("device", "get", "--app", "cameras", "--serial", "CAM-1", "--json")
            #expect(json.out.contains(#""revoked" : 1"#), "\(json)")

            let permission = try await assay("enrol", "list", "--app", "cameras", "--serial", "CAM-2")
            #expect(permission.lines.count == 1 && permission.out.contains("CAM-2"), "\(permission)")
            let none = try await assay("enrol", "list", "--app", "cameras", "--serial", "CAM-9")
            #expect(none.status == 0 && none.err.contains("has no permission for the serial number CAM-9"), "\(none)")
            await daemon.stop()
        }

        @Test("A file of serial numbers is previewed: comments are left out, and odd lines are shown with their number")
        func preview() async throws {
            let good = (10..<60).map { "CAM-00\($0)" }.joined(separator: "\n")
            try home.folder.write(
                "# run 7\n\(good)\n\n  # spare\nCAM-0010\ncam-0011\nCAM 0061\nCAM-62\nCAM-0063;x\n", to: "serials")
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-0010").status == 0)
            let words = ["enrol", "add", "--app", "cameras", "--serials", file("serials")]
            func add(_ more: String...) async throws -> Child.Ending {
                try await Child.run("assay", words + more, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            }
            let preview = try await add("--dry-run")
            #expect(preview.status == 0, "\(preview)")
            #expect(
                preview.lines == [
                    "would add 53 serial numbers; 1 on the list before; nothing was added", "left out 2 comment lines",
                    "left out 1 repeated, the first in line 54: CAM-0010", "on the list before: CAM-0010",
                    "odd, line 55: cam-0011: as line 3, but for capital letters", "odd, line 56: CAM 0061: white space in it",
                    "odd, line 57: CAM-62: another form than most, which is AAA-9999",
                    "odd, line 58: CAM-0063;x: a separator or quotation mark: a line of CSV?",
                ], "\(preview)")
            let json = try await add("--dry-run", "--json")
            #expect(json.out.contains(#""comments" : 2"#) && json.out.contains(#""dry_run" : true"#), "\(json)")
            #expect(try await assay("enrol", "list", "--app", "cameras").lines.count == 1, "nothing was added")
            let added = try await add()
            #expect(
                added.lines.first == "added 53 serial numbers" && added.out.contains("left out 2 comment lines"), "\(added)")
            let listed = try await assay("enrol", "list", "--app", "cameras")
            #expect(listed.lines.count == 54 && !listed.out.contains("#"), "\(listed)")
            let tokens = try await assay(
                "enrol", "add", "--app", "cameras", "--tokens", "1", "--expires", "1d", "--dry-run")
            #expect(tokens.status == 64 && tokens.err.contains("--dry-run goes with serial numbers"), "\(tokens)")
            await daemon.stop()
        }

        @Test("A device is readmitted with a reason, listed with what it replaces, provisioned again, and in the audit log")
        func readmission() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").status == 0)
            let words = ["enrol", "readmit", "--app", "cameras", "--serial", "CAM-1", "--reason", "RMA 4711"]
            func readmit(_ more: String...) async throws -> Child.Ending {
                try await Child.run("assay", words + more, environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            }
            let early = try await readmit("--yes")
            #expect(early.status == 1 && early.err.contains("put it on the allow-list"), "\(early)")
            let first = try await provision("CAM-1", into: "a")
            let old = try #require(first.out.split(separator: " ").dropFirst().first?.prefix { !$0.isWhitespace })
            #expect(old.hasPrefix("dev_"), "\(first)")
            #expect(try await assay("device", "block", "--app", "cameras", String(old), "--reason", "stolen").status == 0)
            let blocked = try await readmit("--yes")
            #expect(blocked.status == 1 && blocked.err.contains("unblock it first"), "\(blocked)")
            #expect(try await assay("device", "unblock", "--app", "cameras", String(old)).status == 0)
            let unconfirmed = try await readmit()
            #expect(unconfirmed.status == 64 && unconfirmed.err.contains("--yes"), "\(unconfirmed)")
            let spaced = try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-2 ")
            #expect(spaced.status != 0 && spaced.err.contains("white space"), "\(spaced)")

            let row = "serial  CAM-1  readmitted, to replace \(old)\n"
            #expect(try await readmit("--yes").out == row)
            let again = try await readmit("--yes", "--json")
            #expect(again.status == 0 && again.out.contains(#""was_readmitted" : true"#), "\(again)")
            #expect(
                again.out.contains(#""state" : "readmitted""#) && again.out.contains(#""replaces" : "\#(old)""#), "\(again)")
            for other in [["--expires", "30d"], ["--family", "Model Two"]] {
                let differs = try await readmit("--yes", other[0], other[1])
                #expect(differs.status == 1 && differs.out == row && differs.err.contains("'assay enrol remove'"), "\(differs)")
            }
            let differs = try await readmit("--yes", "--json", "--family", "Model Two")
            #expect(differs.status == 1 && differs.out.contains(#""as_asked" : false"#), "\(differs)")
            #expect(again.out.contains(#""as_asked" : true"#), "\(again)")
            #expect(try await assay("enrol", "remove", "--app", "cameras", "--serial", "CAM-1").out == "removed\n")
            #expect(try await assay("enrol", "list", "--app", "cameras").out == "serial  CAM-1  used by \(old)\n")
            #expect(try await provision("CAM-1", into: "b").out.contains("REJECTED  already_provisioned"))
            #expect(try await readmit("--yes").out == row)
            #expect(try await assay("enrol", "list", "--app", "cameras", "--state", "unused").out == row)

            let second = try await provision("CAM-1", into: "b")
            #expect(second.status == 0 && !second.out.contains(old), "\(second)")
            #expect(home.folder.text("a/secret.hex") != home.folder.text("b/secret.hex"))
            let listed = try await assay("enrol", "list", "--app", "cameras")
            #expect(listed.out.contains("  used by dev_") && listed.out.contains(", which replaced \(old)\n"), "\(listed)")
            let records = try await assay("audit", "tail")
            #expect(
                records.lines.count { $0.contains("  readmit  ") && $0.contains(old) && $0.hasSuffix("  \"RMA 4711\"") } == 2,
                "\(records)")
            #expect(records.out.contains("  forget     cameras") && !records.out.contains("CAM-1"), "\(records)")
            await daemon.stop()
        }

        @Test("A readmission is asked for again with the same end, and one that has expired is listed as such and replaced")
        func expiredReadmission() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").status == 0)
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-2", "--expires", "1s").status == 0)
            #expect(try await provision("CAM-1", into: "a").status == 0)
            func readmit(_ time: String) async throws -> Child.Ending {
                try await assay(
                    "enrol", "readmit", "--app", "cameras", "--serial", "CAM-1", "--reason", "RMA 1", "--yes", "--expires", time
                )
            }
            #expect(try await readmit("30d").status == 0)
            let same = try await readmit("30d")
            #expect(same.status == 0 && same.err.contains("was readmitted before, and the readmission stays"), "\(same)")
            #expect(try await readmit("31d").status == 1)
            #expect(try await assay("enrol", "remove", "--app", "cameras", "--serial", "CAM-1").status == 0)
            #expect(try await readmit("1s").status == 0)
            var listed = try await assay("enrol", "list", "--app", "cameras")
            try await eventually("both have expired") {
                listed = try await assay("enrol", "list", "--app", "cameras")
                return listed.lines.count(where: { $0.contains("  expired") }) == 2
            }
            #expect(listed.out.contains("serial  CAM-1  expired, was readmitted, to replace dev_"), "\(listed)")
            #expect(listed.out.contains("serial  CAM-2  expired  until "), "\(listed)")
            let json = try await assay("enrol", "list", "--app", "cameras", "--json")
            #expect(json.lines.count { $0.contains(#""state":"expired""#) } == 2, "\(json)")
            let late = try await provision("CAM-1", into: "b")
            #expect(late.out.contains("REJECTED  not_enrolled") && late.out.contains("'assay enrol readmit'"), "\(late)")
            #expect(try await readmit("30d").status == 0)
            #expect(try await provision("CAM-1", into: "b").status == 0)
            await daemon.stop()
        }

        @Test("Bundles of provisioned cameras are accepted after the fleet has left the configuration")
        func formerFleet() async throws {
            #expect(try await assay("enrol", "add", "--app", "cameras", "--serial", "CAM-1").status == 0)
            #expect(try await assay("simulate", "camera", "make", file("camera"), "--serial", "CAM-1").status == 0)
            #expect(try await assay("simulate", "camera", "csr", file("camera"), "--out", file("csr")).status == 0)
            #expect(try await provision("CAM-1", into: "camera", "--csr", file("csr")).status == 0)
            try home.folder.write("image", to: "photo")
            await daemon.stop()
            let before = home.folder.text("assayd.yaml")
            let fleet = "{fleet: {manufacturer: Example Cameras, generate_keys: true}}"
            for (rule, provisioning, outcome) in [
                ("{}", fleet, "ACCEPTED"), ("{}", "{}", "ACCEPTED"),
                ("{secret: required}", "{}", "REJECTED  secret_undecryptable"),
                ("{secret: required}", fleet, "ACCEPTED"),
            ] {
                try home.folder.write(
                    before.replacing(fleet, with: provisioning).replacing("bundle: {}", with: "bundle: \(rule)"),
                    to: "assayd.yaml")
                let next = try await TestDaemon(home)
                let signed = try await Child.run(
                    "assay", ["simulate", "camera", "sign", file("camera"), file("photo"), "--out", file("bundle")])
                #expect(signed.status == 0, "\(signed)")
                let verdict = try await Child.run(
                    "assay", ["verify", "--app", "cameras", "--bundle", file("bundle")],
                    environment: ["ASSAY_SERVER": try next.address("tcp")])
                try FileManager.default.removeItem(atPath: file("bundle"))
                #expect(verdict.out.hasPrefix(outcome), "\(rule) \(provisioning): \(verdict)")
                #expect(verdict.out.contains("secret_not_checked") == (rule == "{}" && provisioning == "{}"), "\(verdict)")
                await next.stop()
            }
        }

        @Test("A client in Python provisions a camera, and sees each rejection", .enabled(if: Python.knowsCertificates))
        func python() async throws {
            let program = Package.path("examples/python/provision.py")
            let server = String(try daemon.address("tcp").dropFirst("tcp:".count))
            let ending = try await Child(
                try #require(Python.path),
                ["-B", program, "--server", server, "--app", "cameras", "--serial", "CAM-7", "--enrol"]
            ).ending()
            #expect(ending.status == 0 && !ending.out.contains("expected:"), "\(ending)")
            #expect(ending.lines.count == 17, "\(ending)")
            await daemon.stop()
        }

        @Test(
            "A client in Python sees each rejection of a bundle, also of certificates that no CA should issue",
            .enabled(if: Python.knowsCertificates))
        func rejections() async throws {
            let program = ["-B", Package.path("examples/python/test_bundle_rejections.py")]
            let python = try #require(Python.path)
            let folder = home.folder.file(".")
            let made = try await Child(python, program + ["--make", folder]).ending()
            try #require(made.status == 0, "\(made)")
            try home.folder.write(
                home.folder.text("assayd.yaml").replacingOccurrences(
                    of: "certificate_bundle: {}",
                    with: """
                        certificate_bundle: {authorities: [foreign.pem], submissions: {warn: 2, block: 3}}
                          whole:
                            provisioning: {fleet: {manufacturer: Example Cameras}}
                            certificate_bundle: {split: deny}
                        """), to: "assayd.yaml")
            await daemon.stop()
            let next = try await TestDaemon(home)
            let server = String(try next.address("tcp").dropFirst("tcp:".count))
            let ending = try await Child(python, program + ["--server", server, "--folder", folder]).ending()
            #expect(ending.status == 0 && !ending.out.contains("expected:"), "\(ending)")
            #expect(ending.lines.count == 24, "\(ending)")
            await next.stop()
        }
    }
}
