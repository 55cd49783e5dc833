import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Sessions")
    struct SessionTests {
        let host = StandInHost()
        let executable: SealedExecutable
        static let key = [UInt8](repeating: 5, count: 32)
        /// As the plugin gets it.
        static let configuration = #"{"key":"\#(String(repeating: "05", count: 32))"}"#

        let home: PluginHome

        init() throws {
            executable = try SealedExecutable(copying: BuiltPlugin.template)
            home = try PluginHome()
            try home.write(String(repeating: "05", count: 32) + "\n", to: "key", mode: 0o600)
            try home.write("05", to: "short", mode: 0o600)
        }

        /// - Parameter key: the file with the key.
        func setup(key: String = "key", name: String = "example-hmac") -> PluginSession.Setup {
            PluginSession.Setup(
                name: name, launch: BuiltPlugin.launch(executable),
                configuration: PluginConfiguration(json: Array(#"{"key":"\#(key)"}"#.utf8), folder: home.path), host: host)
        }

        func request(_ clientData: [UInt8], mac: [UInt8]? = nil) throws -> PluginRequest {
            let right = Array(HMAC<SHA256>.authenticationCode(for: clientData, using: SymmetricKey(data: Self.key)))
            return PluginRequest(
                app: try #require(AppID("shop")), format: EvidenceFormat(rawValue: "example.hmac"), purpose: .assert,
                body: mac ?? right, clientData: clientData, now: Timestamp(unixMilliseconds: 1_800_000_000_000),
                ceiling: .hardware)
        }

        func failure(_ setup: PluginSession.Setup) async -> String? {
            do throws(SessionFailure) {
                _ = try await PluginSession.open(setup, daemonVersion: "test")
                return nil
            } catch { return error.description }
        }

        @Test("A plugin in its sandbox accepts good evidence, rejects bad, and ends by half-close")
        func appraises() async throws {
            let session = try await PluginSession.open(setup(), daemonVersion: "test")
            #expect(session.description.name == "example-hmac" && session.description.protocolVersion == 1)
            #expect(session.process.report.steps.contains { $0.name == "seccomp" && $0.outcome == .enforced })
            let clientData = [UInt8](repeating: 1, count: 93)
            guard case .appraised(let good, _, nil) = try await session.judge(try request(clientData), timeout: .seconds(60))
            else {
                Issue.record("refused")
                return
            }
            #expect(good.failure == nil && good.assurance == .software && good.use == .challenge)
            #expect(good.claims.text("algorithm") == "hmac-sha256")
            let bad = try request(clientData, mac: [UInt8](repeating: 0, count: 32))
            guard case .appraised(let judged, _, _) = try await session.judge(bad, timeout: .seconds(60)) else {
                Issue.record("refused")
                return
            }
            #expect(judged.failure?.rejection == Rejection(.badSignature, ""))
            #expect(try await session.health(timeout: .seconds(60)) == nil)
            #expect(await session.close(grace: .seconds(60)) == .exited(status: 0))
        }

        @Test("Many calls at once are answered, each its own")
        func many() async throws {
            let session = try await PluginSession.open(setup(), daemonVersion: "test")
            let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<500 {
                    group.addTask {
                        let clientData = Array("client data \(index)".utf8)
                        let isGood = index % 3 != 0
                        let request = try self.request(clientData, mac: isGood ? nil : Array(SHA256.hash(data: clientData)))
                        guard case .appraised(let judged, _, _) = try await session.judge(request, timeout: .seconds(60)) else {
                            return true
                        }
                        return (judged.failure == nil) != isGood
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wrong == 0)
            #expect(await session.close(grace: .seconds(60)) == .exited(status: 0))
        }

        @Test("A wrong configuration is refused with the path and a sentence, by Validate and by Configure")
        func configuration() async throws {
            let text = try #require(await failure(setup(key: "short")))
            #expect(text.contains("refuses its configuration: key: ") && text.contains("64 hex digits"), "\(text)")
            let session = try await PluginSession.open(setup(), daemonVersion: "test")
            let problems = try await session.validate(Array(#"{"key":"05"}"#.utf8), timeout: .seconds(60))
            #expect(problems.map(\.path) == ["key"])
            #expect(try await session.validate(Array(Self.configuration.utf8), timeout: .seconds(60)).isEmpty)
        }

        @Test("A plugin of another name than the catalog's entry is not used")
        func otherName() async {
            #expect(await failure(setup(name: "kiosk"))?.contains("'example-hmac', and the catalog's entry is 'kiosk'") == true)
        }

        @Test("A call in flight when the process is killed fails, and the end is known")
        func killed() async throws {
            let session = try await PluginSession.open(setup(), daemonVersion: "test")
            #expect(session.process.endIfEnded == nil)
            session.process.kill()
            #expect(await session.process.end == .killed(signal: SIGKILL))
            let request = try request([1])
            await #expect(throws: PluginCallFailure.self) { try await session.judge(request, timeout: .seconds(60)) }
        }

        @Test("A session that is released ends its process")
        func released() async throws {
            var session: PluginSession? = try await PluginSession.open(setup(), daemonVersion: "test")
            let id = try #require(session?.process.id)
            #expect(kill(id, 0) == 0)
            session = nil
            #expect(await eventually { kill(id, 0) == -1 && errno == ESRCH })
        }

        @Test("Fifty starts and ends leave no descriptor open")
        func descriptors() async throws {
            func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            _ = await (try PluginSession.open(setup(), daemonVersion: "test")).close(grace: .seconds(60))
            let before = try open()
            for _ in 0..<50 {
                let session = try await PluginSession.open(setup(), daemonVersion: "test")
                #expect(await session.close(grace: .seconds(60)) == .exited(status: 0))
            }
            #expect(try await eventually { try open() <= before })
        }
    }
}
