import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

extension CommandTests {
    @Suite("Inspection of the wrong file")
    struct InspectCommandTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func inspect(_ path: String, _ arguments: String...) async throws -> Child.Ending {
            try await Child.run("assay", ["inspect", path] + arguments)
        }

        @Test("An unknown file is reported as unknown, with its known facts, and exit status 65")
        func unknown() async throws {
            for (bytes, title) in [
                ([], "an empty file"), (Array("hello world\n".utf8), "a file of no known kind"),
                ([0x01], "a file of no known kind"),
                ([0xA1, 0x01, 0x02], "a file of no known kind"),
            ] {
                let ending = try await inspect(try folder.write(bytes, to: "file"))
                #expect(ending.status == 65 && ending.out.hasPrefix(title), "\(ending)")
                #expect(ending.out.contains("note  What is known: "))
                #expect(!ending.out.contains("malformed_cbor"), "an accidental place in bytes that are not CBOR is misleading")
            }
        }

        @Test("The beginning of a token is recognised as a token")
        func cutToken() async throws {
            let ending = try await inspect(try folder.write("eyJhbGciOiJSUzI1NiJ9", to: "token"))
            #expect(ending.status == 65 && ending.out.contains("malformed_token: want 3 parts"), "\(ending)")
        }

        @Test("An unreadable file is reported in one sentence")
        func unreadable() async throws {
            let large = folder.file("large")
            _ = FileManager.default.createFile(atPath: large, contents: nil)
            // A sparse file: it takes no space on the disk.
            try FileHandle(forWritingTo: URL(fileURLWithPath: large)).truncate(atOffset: 3 << 30)
            for (path, why) in [
                (folder.file("none"), "cannot be read: there is no such file"),
                (folder.path, "cannot be read: it is a folder"), (large, "is larger than 67108864 bytes"),
            ] {
                let ending = try await inspect(path)
                #expect(ending.status == 65 && ending.out.isEmpty)
                #expect(ending.err == "assay: \(path) \(why)\n")
            }
        }

        @Test("The bytes of the part in which a file breaks are shown")
        func place() async throws {
            let authority = TestAuthority(seed: "inspection")
            var certificate = authority.intermediateCertificate
            // The length of the serial number, where it breaks, after the heads of two sequences and the version.
            let place = try #require(certificate.firstRange(of: [0xA0, 0x03, 0x02, 0x01, 0x02, 0x02])).upperBound
            certificate[place] = 0xFF
            let shown = certificate[(place + 1)...].prefix(8).map { Hex.encode([$0]) }.joined(separator: " ")
            let ending = try await inspect(try folder.write(PEM.encode(certificate), to: "broken.pem"))
            #expect(ending.status == 65 && ending.out.contains("▸ \(shown)"), "\(ending)")
        }

        @Test("For expired evidence the option for another time is named")
        func time() async throws {
            var phone = VirtualPhone(authority: authority, appID: "TEAMID1234.com.example.camera")
            let key = phone.makeKey()
            let then = Timestamp(unixSeconds: 1_700_000_000)
            let path = try folder.write(
                try key.attest(clientDataHash: [UInt8](repeating: 1, count: 32), at: then), to: "old")
            let root = try folder.write(authority.rootPEM, to: "root.pem")
            try folder.write(
                """
                listen: [{unix: a.sock}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                trust: {test_roots: [\(root)]}
                apps: {camera: {app_attest: {identities: [{app_id: TEAMID1234.com.example.camera}]}}}
                """, to: "assayd.yaml")
            let known = ["--config", folder.file("assayd.yaml"), "--app", "camera"]
            let now = try await Child.run("assay", ["inspect", path] + known)
            #expect(now.status == 1 && now.out.contains("note  It is judged as of now. --at judges"), "\(now)")
            let atThen = try await Child.run("assay", ["inspect", path, "--at", then.description] + known)
            #expect(atThen.status == 2 && !atThen.out.contains("as of now"), "\(atThen)")
            let given = ["--key-id", Hex.encode(key.keyID), "--client-data-hash", Hex.encode([UInt8](repeating: 1, count: 32))]
            let whole = try await Child.run("assay", ["inspect", path, "--at", then.description] + known + given)
            #expect(whole.status == 0 && whole.out.contains("good"), "\(whole)")
        }

        @Test("A receipt that cannot be read ends a good attestation neither bad nor with 65, where the app only reports it")
        func unreadableReceipt() async throws {
            var phone = VirtualPhone(authority: authority, appID: "TEAMID1234.com.example.camera")
            let key = phone.makeKey()
            let then = Timestamp(unixSeconds: 1_700_000_000)
            let hash = [UInt8](repeating: 1, count: 32)
            let changes = AttestationChanges.genuine.statement { $0["receipt"] = CBORWriter.bytes([0x30, 0x03, 0x01]) }
            let path = try folder.write(try key.attest(clientDataHash: hash, at: then, changes: changes), to: "evidence")
            let root = try folder.write(authority.rootPEM, to: "root.pem")
            for (mode, status) in [("report", 0), ("require", 65)] as [(String, Int32)] {
                try folder.write(
                    """
                    listen: [{unix: a.sock}]
                    store: {path: ledger.db}
                    callers: {loopback_demo: true}
                    trust: {test_roots: [\(root)]}
                    apps:
                      camera: {app_attest: {identities: [{app_id: TEAMID1234.com.example.camera}], receipt: {mode: \(mode)}}}
                    """, to: "assayd.yaml")
                let ending = try await inspect(
                    path, "--at", then.description, "--config", folder.file("assayd.yaml"), "--app", "camera", "--key-id",
                    Hex.encode(key.keyID), "--client-data-hash", Hex.encode(hash))
                #expect(ending.status == status, "\(mode): \(ending)")
                let remark = "A part cannot be read (malformed_cms), and no check that is required here depends on it."
                #expect(ending.out.contains(remark) == (status == 0), "\(ending)")
            }
        }

        @Test("What a transport did to evidence is undone and told, and a key id beside it is used")
        func transport() async throws {
            var phone = VirtualPhone(authority: authority, appID: "TEAMID1234.com.example.camera")
            let key = phone.makeKey()
            let evidence = Base64.standard.encode(
                try key.attest(clientDataHash: [UInt8](repeating: 1, count: 32), at: Timestamp(unixSeconds: 1_700_000_000)))
            let root = try folder.write(authority.rootPEM, to: "root.pem")
            try folder.write(
                """
                listen: [{unix: a.sock}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                trust: {test_roots: [\(root)]}
                apps: {camera: {app_attest: {identities: [{app_id: TEAMID1234.com.example.camera}]}}}
                """, to: "assayd.yaml")
            for (text, words) in [
                ("%22\(evidence.replacing("+", with: "%2B"))%22", "it is percent-encoded. That was undone here."),
                ("\(evidence)::\(Base64.standard.encode(key.keyID))", "two values are joined by \"::\""),
            ] {
                let ending = try await inspect(
                    try folder.write(text, to: "text"), "--at", "2023-11-14T22:13:20Z", "--config",
                    folder.file("assayd.yaml"), "--app", "camera")
                #expect(ending.out.hasPrefix("App Attest attestation") && ending.out.contains(words), "\(ending)")
                #expect(ending.out.contains("✓ key_id ") == text.contains("::"), "\(ending)")
            }
        }

        @Test("The client data of a challenge, a purpose and a payload is built as on a device")
        func challengedClientData() async throws {
            var phone = VirtualPhone(authority: authority, appID: "TEAMID1234.com.example.camera")
            var key = phone.makeKey()
            let payload = Array("a photo".utf8)
            for purpose in [Purpose.assert, .renew] {
                let challenge = try Challenge.sample(purpose, expiry: Timestamp(unixMilliseconds: 4_000_000_000_000))
                let data = try #require(ClientData(purpose: purpose, challenge: challenge, payload: payload))
                let path = try folder.write(try key.assert(clientDataHash: data.hash), to: "assertion-\(purpose.name)")
                let arguments = [
                    "inspect", path, "--challenge", Base64.url.encode(challenge), "--public-key", Hex.encode(key.publicKey),
                    "--payload", try folder.write(payload, to: "photo"),
                ]
                let named = try await Child.run("assay", arguments + ["--purpose", purpose.name])
                #expect(named.status == 2 && named.out.contains("✓ signature"), "\(named)")
                let usual = try await Child.run("assay", arguments)
                #expect(usual.status == (purpose == .assert ? 2 : 1), "\(usual)")
            }
            let alone = try await inspect(path(of: payload), "--payload", path(of: payload))
            #expect(alone.status == 64 && alone.err.contains("--payload goes with --challenge"))
        }

        @Test("A challenge is explained in its printed form")
        func challenge() async throws {
            let challenge = try Challenge.sample(expiry: Timestamp(unixMilliseconds: 4_000_000_000_000))
            let ending = try await inspect(
                try folder.write(Base64.url.encode(challenge) + "\n", to: "challenge"), "--purpose", "register")
            #expect(ending.status == 2 && ending.out.hasPrefix("challenge  bytes 0..<54\n"), "\(ending)")
            #expect(ending.out.contains("not judged: only the daemon that issues challenges has the key"))
        }

        @Test("A depth map is judged with its numbers, and drawn; --plot draws nothing else")
        func depthMap() async throws {
            let (map, picture) = (
                try folder.write(try SampleDepthMap.gzip(SampleDepthMap.bands), to: "map.gz"), folder.file("map.png")
            )
            let good = try await inspect(map, "--plot", picture)
            #expect(good.status == 0 && good.out.hasPrefix("depth map  bytes 0..<"), "\(good)")
            #expect(good.out.contains("edge coherence   0.3765  (0 to 1)") && good.out.contains("✓ layers"), "\(good)")
            let drawn = try #require(FileManager.default.contents(atPath: picture))
            #expect(drawn.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            let strict = try await inspect(map, "--strict")
            #expect(strict.status == 1 && strict.out.contains("✗ edge_coherence"), "\(strict)")
            let json = try await inspect(map, "--json")
            #expect(
                json.status == 0 && json.out.contains("\"kind\" : \"depth-map\"") && json.out.contains("\"layers\" : 3"),
                "\(json)")
            let screen = try await inspect(try folder.write(try SampleDepthMap.gzip(SampleDepthMap.flat(0.45)), to: "flat.gz"))
            #expect(screen.status == 1 && screen.out.contains("depth_screen_like: range 0.0000 m"), "\(screen)")
            let empty = try await inspect(try folder.write(try SampleDepthMap.gzip(SampleDepthMap.flat(0)), to: "empty.gz"))
            #expect(empty.status == 2, "\(empty)")

            let other = folder.file("other.png")
            let geometry = try await inspect(map, "--width", "257", "--plot", other)
            #expect(
                geometry.status == 65 && geometry.out.contains("expected 197376 bytes for 257 x 192 pixels, 196608 come out"),
                "\(geometry)")
            let photo = try await inspect(try folder.write("hello world\n", to: "text"), "--plot", other)
            #expect(
                photo.status == 65 && photo.err.hasSuffix("is not a depth map, and --plot draws nothing else\n"), "\(photo)")
            #expect(!FileManager.default.fileExists(atPath: other))
            for option in [["--width", "245"], ["--height", "203"]] {
                let wrong = try await Child.run("assay", ["inspect", map] + option)
                #expect(wrong.status == 64, "\(wrong)")
            }
        }

        private func path(of bytes: [UInt8]) throws -> String { try folder.write(bytes, to: "payload") }

        private let authority = TestAuthority(seed: "inspection")
    }
}
