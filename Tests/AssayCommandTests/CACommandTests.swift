import AssayProvisioning
import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("The commands of assay ca")
    struct CACommandTests {
        @Test("A root, two issuing CAs and a taken-over one are made, shown, and open with the printed configuration")
        func made() async throws {
            let folder = try TemporaryFolder()
            let ca = folder.file("ca")
            let made = try await Child.run(
                "assay", ["ca", "init", ca, "--organization", "Example \"Cameras\"", "--algorithm", "p384"])
            #expect(made.status == 0, "\(made)")
            for part in [
                "CN=Assay Device Root CA", "CN=Assay Device Issuing CA 1", "Take offline",
                "provisioning:\n  authorities:\n    - name: issuing-1\n",
                "      certificate: \"\(ca)/issuing-1.pem\"\n", "      passphrase_file: \"\(ca)/issuing-1.passphrase\"\n",
            ] { #expect(made.out.contains(part), "\(part)\n\(made)") }
            for name in ["root", "issuing-1"] {
                let passphrase = folder.text("ca/\(name).passphrase").dropLast()
                #expect(passphrase.count == 43 && !made.out.contains(passphrase))
            }
            let again = try await Child.run("assay", ["ca", "init", ca])
            #expect(again.status == 65 && again.err.contains("root.pem exists already"), "\(again)")

            let next = try await Child.run("assay", ["ca", "next", ca, "--signs-from", "2031-01-01T00:00:00Z"])
            #expect(next.status == 0 && next.out.contains("O=Example \"Cameras\", CN=Assay Device Issuing CA 2"), "\(next)")
            #expect(
                next.out.contains("    - name: issuing-2\n")
                    && next.out.contains("      signs_from: \"2031-01-01T00:00:00Z\"\n"))

            let imported = try await Child.run(
                "assay",
                [
                    "ca", "import", folder.file("other"), "--chain", ca + "/issuing-2.pem", "--key", ca + "/issuing-2.key",
                    "--key-passphrase-file", ca + "/issuing-2.passphrase", "--name", "taken",
                ])
            #expect(imported.status == 0 && imported.out.contains("    - name: taken\n"), "\(imported)")
            _ = try AuthorityFolder(folder.file("other")).files(of: "taken").signer()

            let shown = try await Child.run("assay", ["ca", "show", ca])
            #expect(shown.status == 0 && shown.lines.count { $0.hasSuffix(": the chain checks out") } == 3, "\(shown)")
            let json = try await Child.run("assay", ["ca", "show", ca + "/issuing-1.pem", "--json"])
            #expect(json.status == 0 && json.out.contains("\"issuer\":") && json.lines.count == 1, "\(json)")
        }

        @Test("A CA is imported once, and an import or a start that fails leaves nothing")
        func importedOnce() async throws {
            let folder = try TemporaryFolder()
            let ca = folder.file("ca")
            #expect(try await Child.run("assay", ["ca", "init", ca]).status == 0)
            func take(_ target: String, key: String = "issuing-1", passphrase: String = "issuing-1", _ more: String...)
                async throws -> Child.Ending
            {
                try await Child.run(
                    "assay",
                    [
                        "ca", "import", folder.file(target), "--chain", ca + "/issuing-1.pem", "--key", ca + "/\(key).key",
                        "--key-passphrase-file", ca + "/\(passphrase).passphrase",
                    ] + more)
            }
            for ending in [try await take("other", key: "root"), try await take("other", passphrase: "missing")] {
                #expect(ending.status == 65 && !FileManager.default.fileExists(atPath: folder.file("other")), "\(ending)")
            }
            let first = try await take("other")
            #expect(first.status == 0 && first.out.contains("- name: issuing-1\n"), "\(first)")
            let files = ["issuing-1.key", "issuing-1.passphrase", "issuing-1.pem"]
            for again in [
                try await take("other"), try await take("other", "--name", "another"),
                try await take("other", "--name", "issuing-1"),
            ] {
                #expect(again.status == 65 && again.err.contains("other/issuing-1.pem is this CA already"), "\(again)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("other")).sorted() == files)
            }
            // The folder's own passphrase is not one: half of the CA is not left.
            try folder.write("", to: "empty")
            let half = try await take("third", "--passphrase-file", folder.file("empty"))
            #expect(half.status == 65, "\(half)")
            let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.file("third"))) ?? []
            #expect(left.isEmpty, "\(left)")
            let unmade = try await Child.run(
                "assay", ["ca", "init", folder.file("fourth"), "--passphrase-file", folder.file("empty")])
            #expect(unmade.status == 65, "\(unmade)")
        }

        @Test("A self-signed root is imported with a warning, and an issuing CA without one")
        func importedRoot() async throws {
            let folder = try TemporaryFolder()
            let ca = folder.file("ca")
            #expect(try await Child.run("assay", ["ca", "init", ca]).status == 0)
            for (name, isWarned) in [("root", true), ("issuing-1", false)] {
                let ending = try await Child.run(
                    "assay",
                    [
                        "ca", "import", folder.file("from-\(name)"), "--chain", ca + "/\(name).pem", "--key",
                        ca + "/\(name).key",
                        "--key-passphrase-file", ca + "/\(name).passphrase",
                    ])
                #expect(ending.status == 0 && ending.out.contains("    - name: issuing-1\n"), "\(ending)")
                #expect(ending.err.contains("warning: this CA is a self-signed root") == isWarned, "\(ending)")
            }
        }

        @Test("The root's list is empty, then has the CAs that were revoked, and is signed by the root")
        func rootList() async throws {
            let folder = try TemporaryFolder()
            let ca = folder.file("ca")
            #expect(try await Child.run("assay", ["ca", "init", ca]).status == 0)
            let empty = try await Child.run("assay", ["ca", "crl", ca, "--days", "30"])
            #expect(empty.status == 0 && empty.lines[0].hasSuffix(", 0 certificates"), "\(empty)")
            let revoked = try await Child.run(
                "assay", ["ca", "crl", ca, "--revoke", ca + "/issuing-1.pem", "--reason", "cACompromise"])
            #expect(revoked.status == 0 && revoked.lines[0].hasSuffix(", 1 certificate"), "\(revoked)")
            let kept = try await Child.run("assay", ["ca", "crl", ca])
            #expect(kept.status == 0 && kept.lines[0].hasSuffix(", 1 certificate"), "\(kept)")
            let number = { (ending: Child.Ending) in
                Int(ending.lines[0].dropFirst("number  ".count).prefix { $0.isNumber }) ?? 0
            }
            #expect(number(empty) < number(revoked) && number(revoked) < number(kept))
            let text = try await Child(
                "/usr/bin/env", ["openssl", "crl", "-in", ca + "/root.crl.pem", "-CAfile", ca + "/root.pem", "-noout", "-text"]
            ).ending()
            #expect(text.status == 0 && text.out.contains("CA Compromise") && text.err.contains("verify OK"), "\(text)")
            #expect(try await Child.run("assay", ["ca", "show", ca]).status == 0)
            // The list of another root, and a CA of another root.
            let other = folder.file("other")
            #expect(try await Child.run("assay", ["ca", "init", other]).status == 0)
            let foreign = try await Child.run("assay", ["ca", "crl", other, "--revoke", ca + "/issuing-1.pem"])
            #expect(foreign.status == 65 && foreign.err.contains("is not a CA that this root signed"), "\(foreign)")
            let itself = try await Child.run("assay", ["ca", "crl", other, "--revoke", other + "/root.pem"])
            #expect(itself.status == 65, "\(itself)")
            try FileManager.default.copyItem(atPath: ca + "/root.crl", toPath: other + "/root.crl")
            let mixed = try await Child.run("assay", ["ca", "crl", other])
            #expect(mixed.status == 65 && mixed.err.contains("is not the root's revocation list"), "\(mixed)")
        }

        @Test("Wrong usage and files that do not check out are reported with their status")
        func misuse() async throws {
            let folder = try TemporaryFolder()
            for arguments in [
                ["init"], ["init", folder.file("a"), "--algorithm", "rsa"], ["init", folder.file("a"), "--days", "0"],
                ["init", folder.file("a"), "--days", "400", "--root-days", "300"],
                ["crl", folder.file("a"), "--days", "0"], ["crl", folder.file("a"), "--reason", "superseded"],
                ["import", folder.file("a"), "--chain", "x", "--key", "y"],
                ["import", folder.file("a"), "--chain", "x", "--key", "y", "--plain-key", "--name", "A/B"],
            ] {
                let ending = try await Child.run("assay", ["ca"] + arguments)
                #expect(ending.status == 64, "\(arguments) \(ending)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
            #expect(try await Child.run("assay", ["ca", "show", folder.file("none")]).status == 65)
            #expect(try await Child.run("assay", ["ca", "next", folder.file("none")]).status == 65)
            #expect(try await Child.run("assay", ["ca", "crl", folder.file("none")]).status == 65)
            let broken = try folder.write("not PEM", to: "broken.pem")
            #expect(try await Child.run("assay", ["ca", "show", broken]).status == 1)
        }
    }
}
