import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assayd dev")
    struct DevCommandTests {
        /// Where the command makes its folder.
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private var content: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

        /// Starts it, and waits until it has printed what can be pasted.
        private func start(_ words: [String] = ["--port", "0"]) async throws -> Child {
            let child = try Child(try Child.built("assayd"), ["dev"] + words, environment: ["TMPDIR": folder.path])
            try await eventually("the lines are printed") {
                try #require(child.isRunning, "\(child.out)\(child.err)")
                return child.out.contains("The log:\n")
            }
            return child
        }

        /// The lines to paste.
        private func lines(_ child: Child) -> [String] {
            child.out.components(separatedBy: "\n").filter {
                $0.hasPrefix("  ") && $0.contains(" --server ") || $0.hasPrefix("  curl ")
            }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        }

        /// Runs a line as another terminal would.
        private func paste(_ line: String) async throws -> Child.Ending {
            try await Child("/bin/sh", ["-c", line]).ending()
        }

        private func verdict(_ ending: Child.Ending) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any], "\(ending)")
        }

        @Test(
            "It prints three lines, curl first, each of which works when it is pasted, and again",
            .enabled(if: Curl.isInstalled))
        func paste() async throws {
            let child = try await start()
            let lines = lines(child)
            try #require(lines.count == 3, "\(child.out)")
            #expect(lines[0].hasPrefix("curl "), "\(lines)")

            let upload = try await paste(lines[0])
            #expect(upload.status == 0, "\(upload)")
            let first = try verdict(upload)
            #expect(first["decision"] as? String == "DECISION_ACCEPTED", "\(upload)")
            #expect(first["simulated"] as? Bool == true, "\(upload)")
            // A sent upload is followed by a new one, which has another device counter and another request.
            try await eventually("another upload is accepted") {
                let next = try verdict(try await paste(lines[0]))
                return next["decision"] as? String == "DECISION_ACCEPTED"
                    && next["requestId"] as? String != first["requestId"] as? String
            }

            for _ in 1...2 {
                let android = try await paste(lines[1])
                #expect(android.status == 0 && android.out.contains("verdicts are as they have to be"), "\(android)")
                let camera = try await paste(lines[2])
                #expect(camera.status == 0 && camera.out.contains("ACCEPTED"), "\(camera)")
            }
            #expect(child.err.contains(" accepted"), "the log has a line for each verdict: \(child.err)")
            child.signal(SIGINT)
            let ending = await child.ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.out.hasSuffix("is removed\n"), "\(ending)")
            #expect(content.isEmpty, "\(content)")
        }

        @Test("The second phone is not registered, and runs a session of its own")
        func phone() async throws {
            let child = try await start()
            let home = try #require(content.first)
            #expect(home.hasPrefix("assay-dev-"), "\(home)")
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(home))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            let server = try #require(lines(child).last?.components(separatedBy: " --server ").last)
            for phone in ["phone-2", "phone-1"] {
                let session = try await Child.run(
                    "assay", ["simulate", "session", folder.file("\(home)/\(phone)"), "--app", "photos"],
                    environment: ["ASSAY_SERVER": server])
                #expect(session.status == 0, "\(session)")
            }
            let check = try await Child.run("assayd", ["check-config", "--strict", folder.file("\(home)/assayd.yaml")])
            #expect(check.status == 0, "\(check)")
            child.signal(SIGTERM)
            #expect(await child.ending().status == 0)
            #expect(content.isEmpty, "\(content)")
        }

        @Test("A signal while it starts leaves nothing", arguments: [SIGINT, SIGTERM, SIGHUP])
        func early(_ signal: Int32) async throws {
            let child = try Child(try Child.built("assayd"), ["dev", "--port", "0"], environment: ["TMPDIR": folder.path])
            try await eventually("it has made its folder") { !content.isEmpty }
            child.signal(signal)
            #expect(await child.ending().status == 0, "\(child.err)")
            #expect(content.isEmpty, "\(content)")
        }

        @Test("A port that another process has is an error, and the usual ones give way to free ones")
        func ports() async throws {
            let first = try await start()
            let server = try #require(lines(first).last?.components(separatedBy: " --server ").last)
            let address = server.components(separatedBy: ":")
            let port = try #require(address.last)
            let second = try await Child.run("assayd", ["dev", "--port", port], environment: ["TMPDIR": folder.path])
            #expect(second.status == 69 && second.err.contains(port), "\(second)")
            #expect(content.count == 1, "\(content)")
            // One of the two has the usual ports, or neither has.
            let (one, other) = (try await start([]), try await start([]))
            #expect(lines(one).count == 3 && lines(other).count == 3 && lines(one)[1] != lines(other)[1])
            for child in [first, one, other] {
                child.signal(SIGINT)
                #expect(await child.ending().status == 0)
            }
            #expect(content.isEmpty, "\(content)")
        }

        // MARK: Beside a configuration for real devices

        private static let real = """
            listen: [{tcp: 127.0.0.1:0}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apps:
              trials: {app_attest: {identities: [{app_id: ABCDE12345.com.example.trials}]}, accept_simulated: true}
              photos: {app_attest: {identities: [{app_id: ABCDE12345.com.example.photos}]}}
            """

        /// Runs it in a folder.
        private func run(in place: String, _ words: [String] = []) async throws -> Child.Ending {
            let program = try Child.built("assayd")
            return try await Child(
                "/bin/sh", ["-c", "cd '\(place)' && exec '\(program)' dev --port 0 \(words.joined(separator: " "))"],
                environment: ["TMPDIR": folder.path]
            ).ending()
        }

        @Test("It refuses a folder with a configuration for real devices, and one that cannot be read")
        func found() async throws {
            let place = try TemporaryFolder()
            try place.write(Self.real, to: "assayd.yaml")
            let refused = try await run(in: place.path)
            #expect(
                refused.status == 78 && refused.err.contains("assayd.yaml has the app photos for real devices"), "\(refused)")
            #expect(!refused.err.contains("trials"), "\(refused)")
            try place.write("apps: [", to: "assayd.yaml")
            let unread = try await run(in: place.path)
            #expect(unread.status == 78 && unread.err.contains("cannot be read"), "\(unread)")
            #expect(refused.out.isEmpty && unread.out.isEmpty && content.isEmpty)
        }

        @Test("It starts in a folder whose configuration accepts virtual devices")
        func simulated() async throws {
            let place = try TemporaryFolder()
            try place.write(
                Self.real.replacing("com.example.photos}]}}", with: "com.example.photos}]}, accept_simulated: true}"),
                to: "assayd.yaml")
            let program = try Child.built("assayd")
            let child = try Child(
                "/bin/sh", ["-c", "cd '\(place.path)' && exec '\(program)' dev --port 0"], environment: ["TMPDIR": folder.path])
            try await eventually("it listens") {
                try #require(child.isRunning, "\(child.err)")
                return child.out.contains("The log:\n")
            }
            child.signal(SIGINT)
            #expect(await child.ending().status == 0)
        }

        @Test("The package's sample counts as none as it was installed, and as one for real devices once it was edited")
        func sample() async throws {
            // As the package lays them out. A link has a path of its own, as a copy has.
            let package = try TemporaryFolder()
            for folder in ["share/doc/assay/examples/systemd", "bin", "work"] {
                try FileManager.default.createDirectory(atPath: package.file(folder), withIntermediateDirectories: true)
            }
            let (program, sample) = (package.file("bin/assayd"), try Package.text("deploy/systemd/assayd.yaml"))
            if (try? FileManager.default.linkItem(atPath: try Child.built("assayd"), toPath: program)) == nil {
                try FileManager.default.copyItem(atPath: try Child.built("assayd"), toPath: program)
            }
            try package.write(sample, to: "share/doc/assay/examples/systemd/assayd.yaml")
            try package.write(sample, to: "work/assayd.yaml")
            func dev() throws -> Child {
                try Child(
                    "/bin/sh", ["-c", "cd '\(package.file("work"))' && exec '\(program)' dev --port 0"],
                    environment: ["TMPDIR": folder.path])
            }
            let child = try dev()
            try await eventually("it listens") {
                try #require(child.isRunning, "\(child.err)")
                return child.out.contains("The log:\n")
            }
            child.signal(SIGINT)
            #expect(await child.ending().status == 0)
            try package.write(sample + "# edited\n", to: "work/assayd.yaml")
            let refused = try await dev().ending()
            #expect(refused.status == 78 && refused.err.contains("the app photos for real devices"), "\(refused)")
            let packaged = try Package.text("dev/package/materials.py")
            #expect(packaged.contains(#""deploy/systemd": DOC + "/examples/systemd""#))
        }

        @Test("A configuration that is named is refused if it is for real devices, and is not used otherwise")
        func named() async throws {
            let place = try TemporaryFolder()
            let file = try place.write(Self.real, to: "real.yaml")
            for words in [["dev", "--config", file], ["--config", file, "dev"]] {
                let refused = try await Child.run("assayd", words, environment: ["TMPDIR": folder.path])
                #expect(refused.status == 78 && refused.err.contains("real.yaml has the app photos"), "\(refused)")
            }
            let other = try await Child.run(
                "assayd", ["dev", "--config", try TestHome().configuration], environment: ["TMPDIR": folder.path])
            #expect(other.status == 64 && other.err.contains("makes its own configuration"), "\(other)")
            #expect(content.isEmpty)
        }
    }
}
