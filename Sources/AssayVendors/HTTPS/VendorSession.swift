import AssayCore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The connections under one set of settings. Each call keeps a reference, so that the connections close after their last call,
/// also if the settings were replaced meanwhile.
final class VendorSession: Sendable {
    let settings: VendorSettings
    private let configuration: HTTPClient.Configuration
    private let http = Mutex<HTTPClient?>(nil)

    /// Vendors are slow and calls are few: one thread serves all connections. It is created at the first call.
    private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Throws a `NIOSSLError` if the extra roots are not PEM.
    init(_ settings: VendorSettings) throws {
        self.settings = settings
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !settings.extraRoots.isEmpty {
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(settings.extraRoots))]
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .milliseconds(settings.connectMilliseconds)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.callLimit
        // The caller repeats a failed connection, later.
        configuration.connectionPool.retryConnectionEstablishment = false
        self.configuration = configuration
    }

    deinit { http.withLock { $0?.shutdown { _ in } } }

    private var client: HTTPClient {
        http.withLock { http in
            if let http { return http }
            let new = HTTPClient(eventLoopGroup: Self.loop, configuration: configuration)
            http = new
            return new
        }
    }

    func call(_ request: VendorRequest, at address: VendorAddress) async throws(VendorError) -> VendorAnswer {
        var outgoing = HTTPClientRequest(url: address.url + request.path)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers.add(name: "user-agent", value: "assay")
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(request.body) }
        do {
            return try await exchange(outgoing, host: address.host)
        } catch {
            throw VendorError(error, host: address.host, limits: settings)
        }
    }

    /// Limits the time of the whole exchange: the HTTP client's own deadline ends with the answer's head.
    private func exchange(_ request: HTTPClientRequest, host: String) async throws -> VendorAnswer {
        let (http, settings) = (client, settings)
        return try await withThrowingTaskGroup(of: VendorAnswer.self) { group in
            group.addTask {
                let response = try await http.execute(request, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: settings.answerLimit)
                return VendorAnswer(
                    status: Int(response.status.code), headers: VendorAnswer.Headers(response.headers),
                    body: Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(settings.totalMilliseconds))
                throw VendorError.timedOut(host: host, milliseconds: settings.totalMilliseconds)
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw VendorError.cancelled }
            return answer
        }
    }
}

extension VendorAnswer.Headers {
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        func value(_ name: String) -> String? {
            headers.first(name: name).flatMap { $0.utf8.count <= Self.lengthLimit ? $0 : nil }
        }
        cacheControl = value("cache-control")
        eTag = value("etag")
        age = value("age")
        lastModified = value("last-modified")
        retryAfter = value("retry-after")
        date = value("date")
    }
}
