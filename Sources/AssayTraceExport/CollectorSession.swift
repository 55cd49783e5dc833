import AssayCore
import AssayOTLP
import AssayVendors
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftProtobuf

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
    private let connections: HTTPConnections

    /// Throws a `NIOSSLError` if the roots are not PEM.
    ///
    /// - Parameter timeout: of a batch, from the connection to the last byte of the answer.
    init(_ settings: TraceExportSettings, timeout: Duration) throws {
        (self.settings, self.timeout) = (settings, timeout)
        connections = try HTTPConnections(.only(settings.roots), connectMilliseconds: 3000, perHost: 1)
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
            let answer = try await connections.exchange(
                request, to: settings.endpoint.host, within: timeout, answerLimit: Self.answerLimit)
            return Self.outcome(answer, at: now)
        } catch {
            return .failed(Self.words(for: error), retryAfter: nil)
        }
    }

    /// As OTLP says it ("OTLP/HTTP Response"): 429, 502, 503 and 504 may be tried again, other errors may not.
    private static func outcome(_ answer: HTTPConnections.Answer, at now: Timestamp) -> Outcome {
        switch answer.status {
        case 200..<300:
            let response = try? Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse(serializedBytes: answer.body)
            return .taken(rejected: Int(clamping: max(0, response?.partialSuccess.rejectedSpans ?? 0)))
        case 429, 502, 503, 504:
            var fields = VendorAnswer.Headers()
            fields.retryAfter = answer.headers.first(name: "retry-after").flatMap { $0.utf8.count <= 64 ? $0 : nil }
            return .failed("status \(answer.status)", retryAfter: fields.retryAfterMilliseconds(at: now))
        default: return .refused("status \(answer.status)")
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
