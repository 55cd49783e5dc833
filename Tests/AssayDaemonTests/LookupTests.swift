import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Whether a photo was accepted, asked of a daemon by the client library, by JSON over HTTP and by the command line.
    @Suite("Look-ups by hash at a daemon")
    struct LookupTests {
        private static let photo = Array("photo".utf8)
        private static let hash = ClientData.payloadHash(photo)
        private let home: TestHome
        /// The configuration without look-ups.
        private let text: String

        /// The app camera has look-ups, and the app other has none.
        init() throws {
            home = try TestHome()
            text = home.folder.text("assayd.yaml")
            try configure("lookup: {keep: 30d}, ")
        }

        private func configure(_ section: String) throws {
            try home.folder.write(text.replacing("  camera: {", with: "  camera: {\(section)"), to: "assayd.yaml")
        }

        private func assay(_ daemon: TestDaemon, _ words: [String], input: String = "") async throws -> Child.Ending {
            try await Child.run(
                "assay", words, input: input, environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "200"])
        }

        private func object(_ text: String) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        }

        @Test("A photo is found after its upload, over a restart and a kill, says that its device is blocked, and goes with it")
        func life() async throws {
            let first = try await TestDaemon(home)
            var client = try await first.connect()
            var phone = home.phone()
            let registered = try await phone.register(client)
            #expect(try await !client.findVerdicts(of: home.app, payloadSHA256: Self.hash).found)
            let verdict = try await phone.upload(client)
            try #require(verdict.outcome == "accepted")
            let found = try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash)
            #expect(found.verdicts.map(\.requestID) == [verdict.requestID] && found.verdicts.first?.deviceState == .registered)
            await client.close()
            first.child.signal(SIGKILL)
            _ = await first.child.ending()

            let second = try await TestDaemon(home)
            client = try await second.connect()
            #expect(try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash).verdicts == found.verdicts)
            let device = try #require(DeviceID(bytes: Array(registered.deviceID)))
            _ = try await client.block(.device(device), app: home.app, reason: "stolen")
            let blocked = try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash)
            #expect(blocked.verdicts.first?.deviceState == .blocked)
            _ = try await client.forget(device, app: home.app, reason: "asked for")
            let gone = try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash)
            #expect(!gone.found && gone.noteCode == "nothing_found")
            await client.close()
            #expect(await second.stop().status == 0)
        }

        @Test("The command finds a file or a hash, says what that means, and ends with 1 where nothing is found")
        func command() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            _ = try await phone.register(client)
            let verdict = try await phone.upload(client)
            try home.folder.write("photo", to: "photo.jpg")
            let file = home.folder.file("photo.jpg")
            let hex = Hex.encode(Self.hash)
            for words in [["--payload", file], ["--payload-sha256", hex], ["--payload-sha256", "hex:\(hex.uppercased())"]] {
                let shown = try await assay(daemon, ["verdicts", "find", "--app", "camera"] + words)
                #expect(shown.status == 0, "\(shown)")
                let first = try #require(shown.lines.first, "\(shown)")
                #expect(first.hasPrefix("ACCEPTED  assurance secure_element at "), "\(shown.out)")
                for line in [
                    "  \(LookupNote.simulated.sentence)", "  found as  payload", "  device    ios, registered",
                    "  evidence  app-attest.assertion", "  request   \(Hex.encode(verdict.requestID))",
                ] { #expect(shown.lines.contains(line), "\(line) in \(shown.out)") }
            }
            let piped = try await assay(daemon, ["verdicts", "find", "--app", "camera", "--payload", "-"], input: "photo")
            #expect(piped.status == 0)
            let json = try object(
                try await assay(daemon, ["verdicts", "find", "--app", "camera", "--payload", file, "--json"]).out)
            #expect(json["found"] as? Bool == true && json["payload_sha256"] as? String == hex)
            let first = try #require((json["verdicts"] as? [[String: Any]])?.first)
            #expect(first["request_id"] as? String == Hex.encode(verdict.requestID) && first["match"] as? String == "payload")
            #expect(first["note_code"] as? String == "simulated" && first["device_state"] as? String == "registered")

            let other = try await assay(daemon, ["verdicts", "find", "--app", "camera", "--payload", "-"], input: "another")
            #expect(other.status == 1 && other.lines == ["NOT FOUND", "  \(LookupNote.nothingFound.sentence)"], "\(other)")
            let nothing = try await assay(
                daemon, ["verdicts", "find", "--app", "camera", "--payload", "-", "--json"], input: "another")
            #expect(nothing.status == 1 && nothing.err.isEmpty)
            #expect(try object(nothing.out)["found"] as? Bool == false)

            let closed = try await assay(daemon, ["verdicts", "find", "--app", "other", "--payload", file])
            #expect(closed.status == 78 && closed.err.contains("lookup_not_configured"), "\(closed)")
            let wrong: [[String]] = [
                [], ["--payload", file, "--payload-sha256", hex], ["--payload-sha256", "abcd"],
                ["--payload", file, "--result", "plain-jws"],
            ]
            for words in wrong {
                #expect(try await assay(daemon, ["verdicts", "find", "--app", "camera"] + words).status == 64, "\(words)")
            }
            #expect(
                try await assay(daemon, ["verdicts", "find", "--app", "camera", "--payload", home.folder.file("none")]).status
                    == 65)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A reload turns look-ups on and off: what is kept is found again, and nothing is kept meanwhile")
        func reload() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            _ = try await phone.register(client)
            let before = try await phone.upload(client)
            func reason() async throws -> String? {
                do throws(AssayError) {
                    _ = try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash)
                    return nil
                } catch {
                    return error.reason
                }
            }
            try configure("")
            daemon.child.signal(SIGHUP)
            #expect(try await eventually { try await reason() == "lookup_not_configured" })
            #expect(try await phone.upload(client).outcome == "accepted")
            try configure("lookup: {}, ")
            daemon.child.signal(SIGHUP)
            #expect(try await eventually { try await reason() == nil })
            let found = try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash)
            #expect(found.verdicts.map(\.requestID) == [before.requestID])
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("No file of the ledger has the hash of a payload, nor what is kept under it, in clear")
        func secrecy() async throws {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            _ = try await phone.register(client)
            // Without an idempotency key, under which a verdict is kept with the hash until its challenge has ended.
            let plain = try await FramedCaller(try daemon.address("tcp"))
            let challenge = try await phone.challenge(.assert, client)
            let verdict = try await plain.call(API.verify, try phone.upload(challenge, Self.photo).message)
            try #require(verdict.outcome == "accepted")
            #expect(try await client.findVerdicts(of: home.app, payloadSHA256: Self.hash).found)
            await plain.close()
            await client.close()
            #expect(await daemon.stop().status == 0)
            for name in try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
            where name.hasPrefix("ledger.sqlite") {
                let bytes = try Data(contentsOf: URL(filePath: home.folder.file(name)))
                for secret in [Data(Self.hash), Data(Hex.encode(Self.hash).utf8)] {
                    #expect(bytes.range(of: secret) == nil, "\(name)")
                }
            }
        }
    }
}
