import AssayCore
import AssayListening
package import AsyncHTTPClient
import NIOCore
package import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Connections to HTTP servers, under one set of roots and limits. They are opened at the first exchange and close after the last reference.
package final class HTTPConnections: Sendable {
    /// The roots that a server's certificate may come from, as PEM. Empty: those of the machine.
    package enum Roots: Sendable {
        /// Beside those of the machine.
        case additional([UInt8])
        /// In place of those of the machine.
        case only([UInt8])
    }

    package struct Answer: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: [UInt8]
    }

    private let configuration: HTTPClient.Configuration
    /// By host: each compares the certificates of its own. There are as many as the configuration names.
    private let clients = Mutex<[String: HTTPClient]>([:])

    /// Servers are slow and exchanges are few: one thread serves all connections. It is created at the first exchange.
    private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Throws a `NIOSSLError` if the roots are not PEM.
    ///
    /// - Parameter perHost: connections to one host.
    package init(_ roots: Roots, connectMilliseconds: Int64, perHost: Int) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        switch roots {
        case .additional([]), .only([]): break
        case .additional(let pem): tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(pem))]
        case .only(let pem): tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(pem))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .milliseconds(connectMilliseconds)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = perHost
        // The caller repeats a failed connection, later.
        configuration.connectionPool.retryConnectionEstablishment = false
        self.configuration = configuration
    }

    deinit {
        for client in clients.withLock({ Array($0.values) }) { client.shutdown { _ in } }
    }

    private func client(of host: String) -> HTTPClient {
        clients.withLock { clients in
            if let known = clients[host] { return known }
            var configuration = configuration
            if (try? SocketAddress(ipAddress: host, port: 0)) == nil {
                let name = ServerName(host)
                configuration.http1_1ConnectionDebugInitializer = { name.verify($0, allowsPlain: true) }
            }
            let new = HTTPClient(eventLoopGroup: Self.loop, configuration: configuration)
            clients[host] = new
            return new
        }
    }

    /// Sends a request and reads the whole answer. Throws the HTTP client's errors: `HTTPClientError.deadlineExceeded` after the limit,
    /// `NIOTooManyBytesError` for a longer body, `NIOSSLExtraError.failedToValidateHostname` where the server's certificate has another name.
    ///
    /// - Parameters:
    ///   - host: the request's, without its port: the name that the server's certificate must have.
    ///   - limit: of the whole exchange: the HTTP client's own deadline ends with the answer's head.
    package func exchange(
        _ request: HTTPClientRequest, to host: String, within limit: Duration, answerLimit: Int
    ) async throws -> Answer {
        let http = client(of: host)
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask {
                let response = try await http.execute(request, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: answerLimit)
                return Answer(
                    status: Int(response.status.code), headers: response.headers, body: Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}
