import AssayAPI
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("Plugin commands")
    struct PluginCommandTests {
        private static let service = "/assay.v1.Plugins/"
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private static let plugin = Assay_V1_Plugin.with {
            ($0.id, $0.name, $0.version, $0.protocolVersion, $0.file) = (
                "kiosk", "kiosk", "1.2.0", 1, "/etc/assay/plugins.d/kiosk.yaml"
            )
            ($0.state, $0.role, $0.apps, $0.services) = (.ready, .primary, ["photos"], ["FindDevice"])
            $0.formats = [.with { $0.format = "example.kiosk" }]
            $0.digest = Data(repeating: 0xAB, count: 32)
            $0.enforced = [("landlock", "7"), ("network", "tcp:443")].map { step, state in
                .with { ($0.step, $0.state) = (step, state) }
            }
            $0.missing = ["landlock: ENOSYS"]
            $0.processes = [.with { ($0.pid, $0.startedAtUnixMs, $0.inFlight) = (4711, 1_800_000_000_000, 3) }]
            $0.counts = .with { ($0.calls, $0.rejections, $0.deaths, $0.starts) = (100, 9, 1, 2) }
            ($0.metrics, $0.lastLines) = (["queue": 2], ["it \u{1B}[31m ended"])
        }

        private static let evidence = Assay_V1_QuarantinedEvidence.with {
            ($0.digest, $0.plugin, $0.app, $0.format) = (Data(repeating: 0xCD, count: 32), "kiosk", "photos", "example.kiosk")
            ($0.sinceUnixMs, $0.end, $0.size, $0.body) = (
                1_800_000_000_000, "was ended by the signal SIGSEGV", 4, Data("body".utf8)
            )
        }

        /// Runs a command against a daemon with one answer.
        private func assay(
            _ words: [String], _ method: String, _ answer: any SwiftProtobuf.Message
        ) async throws -> (ending: Child.Ending, daemon: FakeService) {
            let daemon = try await FakeService(in: folder, [Self.service + method: answer])
            let ending = try await Child.run("assay", ["plugin"] + words, environment: ["ASSAY_SERVER": daemon.address])
            await daemon.stop()
            return (ending, daemon)
        }

        @Test("Plugins are listed as a table and as JSON; a required one that is not ready makes the status 69")
        func list() async throws {
            var broken = Self.plugin
            (broken.id, broken.state, broken.problem, broken.required) = ("kiosk-next", .broken, "it ended too often", true)
            let answer = Assay_V1_ListPluginsResponse.with { $0.plugins = [Self.plugin, broken] }
            let table = try await assay(["list"], "List", answer).ending
            #expect(table.status == 69 && table.lines.count == 4, "\(table.out)")
            let heading = try #require(table.lines.first)
            #expect(heading.hasPrefix("ID          STATE"))
            #expect(table.out.contains("kiosk       ready") && table.out.contains("it ended too often"))
            let json = try await assay(
                ["list", "--json"], "List", .with { $0.plugins = [Self.plugin] } as Assay_V1_ListPluginsResponse
            ).ending
            let object = (try? JSONSerialization.jsonObject(with: Data(json.out.utf8))) as? [String: Any]
            #expect(json.status == 0 && object?["id"] as? String == "kiosk" && object?["state"] as? String == "ready")
            let empty = try await assay(["list"], "List", Assay_V1_ListPluginsResponse()).ending
            #expect(empty.status == 0 && empty.out == "the catalog has no plugins\n")
        }

        @Test("A plugin is shown with what confines it, and what an address means")
        func show() async throws {
            let answer = Assay_V1_ListPluginsResponse.with { $0.plugins = [Self.plugin] }
            let shown = try await assay(["show", "kiosk"], "List", answer).ending
            #expect(shown.status == 0)
            for text in [
                "the ports may be reached at any address", "demanded and not enforced: landlock: ENOSYS", "4711, since ",
                "only if it lists them", "queue 2", "100, of them 9 rejected",
            ] { #expect(shown.out.contains(text), "\(text) in \(shown.out)") }
            #expect(!shown.out.contains("\u{1B}"))
            let unknown = try await assay(["show", "none"], "List", answer).ending
            #expect(unknown.status == 1 && unknown.err.contains("it has kiosk"))
        }

        @Test("Plugins are enabled, disabled and reloaded")
        func change() async throws {
            let (enabled, daemon) = try await assay(["enable", "kiosk"], "Enable", Self.plugin)
            #expect(enabled.status == 0 && enabled.out == "enabled: kiosk  ready\n")
            #expect(try daemon.request(Self.service + "Enable", as: Assay_V1_EnablePluginRequest.self).id == "kiosk")
            var stopped = Self.plugin
            stopped.state = .disabled
            #expect(try await assay(["disable", "kiosk"], "Disable", stopped).ending.out == "disabled: kiosk  disabled\n")
            let reloaded = try await assay(
                ["reload"], "Reload", Assay_V1_ListPluginsResponse.with { $0.plugins = [Self.plugin] }
            ).ending
            #expect(reloaded.status == 0 && reloaded.out.contains("kiosk"))
        }

        @Test("Quarantined evidence is listed, written to a file of its owner alone, and released")
        func quarantine() async throws {
            let digest = String(repeating: "cd", count: 32)
            var listed = Self.evidence
            listed.body = Data()
            let (list, daemon) = try await assay(
                ["quarantine", "list", "kiosk"], "ListQuarantine",
                Assay_V1_ListQuarantineResponse.with { $0.evidence = [listed] })
            #expect(list.status == 0 && list.out.hasPrefix(digest) && list.out.contains("SIGSEGV"))
            #expect(try daemon.request(Self.service + "ListQuarantine", as: Assay_V1_ListQuarantineRequest.self).id == "kiosk")
            let file = folder.file("body")
            let shown = try await assay(["quarantine", "show", digest, "--output", file], "ReadQuarantine", Self.evidence)
                .ending
            #expect(shown.status == 0 && (try? String(contentsOfFile: file, encoding: .utf8)) == "body")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(
                try await assay(["quarantine", "show", digest, "--output", file], "ReadQuarantine", listed).ending.status == 65)
            let released = try await assay(
                ["quarantine", "release", digest], "ReleaseQuarantine", Assay_V1_ReleaseQuarantineResponse())
            #expect(released.ending.out == "released: \(digest)\n")
            let request = try released.daemon.request(
                Self.service + "ReleaseQuarantine", as: Assay_V1_ReleaseQuarantineRequest.self)
            #expect(request.digest == Data(repeating: 0xCD, count: 32))
        }

        @Test(
            "A new plugin has its name everywhere, and no path that leads out of its folder",
            arguments: ["c", "python", "swift"])
        func new(_ language: String) async throws {
            let path = folder.file("card-reader")
            let made = try await Child.run("assay", ["plugin", "new", "--language", language, "card-reader", "--output", path])
            #expect(made.status == 0 && made.out.contains("make && make test"), "\(made.err)")
            let paths = try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
            #expect(paths.contains("card-reader.yaml") && paths.contains("assay/plugins/sdk/tests/suite.py"))
            #expect(paths.contains("assay/proto/assay/plugin/v1/plugin.proto"))
            for name in paths where !name.hasPrefix("assay/") {
                #expect(!name.contains("hmac") && !name.contains("HMAC"), "\(name)")
                guard let text = try? String(contentsOfFile: path + "/" + name, encoding: .utf8) else { continue }
                for old in ["example-hmac", "example.hmac", "ExampleHMAC", "shared/vectors", "../sdk"] {
                    #expect(!text.contains(old), "\(old) in \(name)")
                }
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/card-reader.key")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await Child.run(
                "assay", ["plugin", "new", "--language", language, "card-reader", "--output", path])
            #expect(again.status == 65 && again.err.contains("is not empty"))
        }

        @Test("Without templates and with a wrong name the reason is said")
        func noTemplates() async throws {
            let lost = try await Child.run("assay", ["plugin", "new", "--language", "c", "x", "--sdk", "/nowhere"])
            #expect(lost.status == 69 && lost.err.contains("looked in /nowhere"))
            let wrong = try await Child.run("assay", ["plugin", "new", "--language", "c", "Card_Reader"])
            #expect(wrong.status == 64 && wrong.err.contains("of a-z, 0-9 and -"))
        }
    }
}
