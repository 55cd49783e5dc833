import AssayCore
import AssayOTLP
import AssayVendors
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftProtobuf
import Synchronization

/// The connections to a collector under one set of settings. They close after the last reference, also if the settings were replaced
/// meanwhile.
final class CollectorSession: Sendable {
    enum Outcome: Sendable {
        /// - Parameter rejected: spans of the batch that the collector says it dropped.
        case taken(rejected: Int)
        /// The same batch would be refused again.
        case refused(String)
        /// Another try may help.
        ///
        /// - Parameter retryAfter: the wait that the collector asks for, in milliseconds.
        case failed(String, retryAfter: Int64?)
    }

    /// The longest answer that is read, in bytes: a partial success with a message.
    private static let answerLimit = 64 << 10

    let settings: TraceExportSettings
    private let timeout: Duration
    private let configuration: HTTPClient.Configuration
    private let http = Mutex<HTTPClient?>(nil)

    /// One thread for all sessions, created at the first batch.
    private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Throws a `NIOSSLError` if the roots are not PEM.
    ///
    /// - Parameter timeout: of a batch, from the connection to the last byte of the answer.
    init(_ settings: TraceExportSettings, timeout: Duration) throws {
        (self.settings, self.timeout) = (settings, timeout)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !settings.roots.isEmpty {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(settings.roots))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(3)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
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

    /// - Parameter body: an ExportTraceServiceRequest, serialised.
    func send(_ body: [UInt8], at now: Timestamp) async -> Outcome {
        var request = HTTPClientRequest(url: settings.endpoint.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-protobuf")
        request.headers.add(name: "user-agent", value: "assay")
        for header in settings.headers { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(body)
        do {
            let (status, headers, answer) = try await exchange(request)
            return Self.outcome(status, headers, answer, at: now)
        } catch {
            return .failed(Self.words(for: error), retryAfter: nil)
        }
    }

    /// Limits the time of the whole exchange: the HTTP client's own deadline ends with the answer's head.
    private func exchange(_ request: HTTPClientRequest) async throws -> (Int, HTTPHeaders, [UInt8]) {
        let (http, timeout) = (client, timeout)
        return try await withThrowingTaskGroup(of: (Int, HTTPHeaders, [UInt8]).self) { group in
            group.addTask {
                let response = try await http.execute(request, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: Self.answerLimit)
                return (Int(response.status.code), response.headers, Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    /// As OTLP says it ("OTLP/HTTP Response"): 429, 502, 503 and 504 may be tried again, other errors may not.
    private static func outcome(_ status: Int, _ headers: HTTPHeaders, _ body: [UInt8], at now: Timestamp) -> Outcome {
        switch status {
        case 200..<300:
            let answer = try? Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse(serializedBytes: body)
            return .taken(rejected: Int(clamping: max(0, answer?.partialSuccess.rejectedSpans ?? 0)))
        case 429, 502, 503, 504:
            var fields = VendorAnswer.Headers()
            fields.retryAfter = headers.first(name: "retry-after").flatMap { $0.utf8.count <= 64 ? $0 : nil }
            return .failed("status \(status)", retryAfter: fields.retryAfterMilliseconds(at: now))
        default: return .refused("status \(status)")
        }
    }

    /// Without the texts of libraries, which may repeat what was sent.
    private static func words(for error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded: "no answer in time"
        case let error as HTTPClientError where error == .connectTimeout: "no connection in time"
        case let error as HTTPClientError: error.shortDescription
        case is NIOSSLError, is NIOSSLExtraError: "the TLS handshake failed"
        case is NIOConnectionError: "no connection"
        case is NIOTooManyBytesError: "the answer is too long"
        case is CancellationError: "cancelled"
        default: "the connection failed"
        }
    }
}
