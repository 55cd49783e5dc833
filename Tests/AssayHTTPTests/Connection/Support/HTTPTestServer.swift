import AssayAPI
import AssayListening
import Foundation
import Logging
import SwiftProtobuf
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// A server with a few simple methods, on a port or path of its own.
struct HTTPTestServer {
    let front: HTTPServer
    let service: RPCService
    let address: RPCAddress
    let calls: TestCalls
    let health: HealthRegister

    /// Those of its calls and of its connections.
    var statistics: RPCStatistics { service.state.statistics(with: [front]) }

    /// What a test wants of its server.
    struct Setup: Sendable {
        var address = RPCAddress.tcp(host: "127.0.0.1", port: 0)
        var limits = HTTPLimits()
        var calls = CallLimits()
        var settings = HTTPSettings()
        var access = RPCAccess.open
        var tls: ServerTLS?
        var withoutCertificates: Set<RPCAddress> = []

        init() {
            // The last connection of a test may be left open, and its server must not wait for it for long.
            limits.drainTimeout = .seconds(5)
            limits.lingerTimeout = .milliseconds(500)
            // A test may wait long for its turn between two of its steps, where much runs beside it.
            (limits.headTimeout, limits.bodyTimeout) = (.seconds(600), .seconds(600))
            (limits.writeTimeout, limits.idleTimeout) = (.seconds(600), .seconds(600))
            limits.restTime = .seconds(60)
            // Clients that write their bytes themselves answer no PING.
            limits.goAwayTimeout = .milliseconds(300)
        }

        /// With some changes.
        static func with(_ change: (inout Setup) -> Void) -> Setup {
            var setup = Setup()
            change(&setup)
            return setup
        }
    }

    /// Runs a server around `body`, and stops it.
    static func run(_ setup: Setup = Setup(), _ body: (HTTPTestServer) async throws -> Void) async throws {
        let (calls, health) = (TestCalls(), HealthRegister())
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let front = HTTPServer(
            addresses: [setup.address], limits: setup.limits, settings: setup.settings, logger: logger, threads: 2,
            tls: setup.tls, withoutCertificates: setup.withoutCertificates, resources: [TestFiles()], health: health)
        let state = ServingState(setup.calls, processors: 2, logger: logger)
        let service = RPCService(methods: TestMethods.all(calls), access: setup.access, state: state)
        let address = try #require(try await front.start(serving: service).first)
        do {
            try await body(
                HTTPTestServer(front: front, service: service, address: address, calls: calls, health: health))
            calls.failAll()
            await front.stop()
        } catch {
            calls.failAll()
            await front.stop()
            throw error
        }
    }

    /// A path for a socket, in a folder that no other test uses.
    static func withSocketPath(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "assay-http-\(UInt64.random(in: 0..<(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        do {
            try await body(folder + "/http.sock")
            try? FileManager.default.removeItem(atPath: folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }
}

/// One small file, one that is not there, and one that is refused as it is asked for.
struct TestFiles: HTTPResource {
    static let path = "/file.txt"
    static let missing = "/missing.txt"
    static let file = HTTPFile(
        contentType: "text/plain", body: Array("what it says".utf8), etag: "\"v1\"", maxAge: .seconds(60))

    /// Its text is what the reader asked for.
    static let choice = "/choice.txt"

    func serves(_ path: String) -> Bool { [Self.path, Self.missing, Self.choice].contains(path) }

    func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile? {
        switch request.path {
        case Self.path: return Self.file
        case Self.choice:
            guard request.query != "none" else {
                throw HTTPFileRefusal(501, RPCError(.unimplemented, "not as it is asked for", reason: "unimplemented"))
            }
            let text = "\(request.query) \(request.accept ?? "-")"
            var file = HTTPFile(contentType: "text/plain", body: Array(text.utf8), etag: "\"\(text)\"")
            (file.dependsOnAccept, file.isForEveryOrigin) = (true, true)
            return file
        default: return nil
        }
    }
}
