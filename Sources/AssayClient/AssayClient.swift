public import AssayAPI
public import AssayCore
import AssayFramedRPC
import AssayRPC
import Foundation
import SwiftProtobuf

/// A client of a daemon. Calls are multiplexed: use one client from as many tasks as you like.
///
///     let assay = try await AssayClient.connect(to: "127.0.0.1:7421")
///     let challenge = try await assay.issueChallenge(app: "camera", purpose: .assert)
///     // … the device signs `ClientData(purpose: .assert, challenge: challenge.bytes, payload: photo)` …
///     let verdict = try await assay.verify(request)
///
/// It connects again by itself when the connection was lost or the daemon said GoAway, and repeats calls where that is safe:
/// after UNAVAILABLE, RESOURCE_EXHAUSTED and a lost connection. ``ClientOptions`` says how often and for how long.
public final class AssayClient: Sendable {
    private let options: ClientOptions
    private let reconnecting: ReconnectingConnection
    private let caller: RetryingCaller

    /// A client of the daemon at `tls:host:port`, `host:port`, `tcp:host:port` or `unix:/path`. It connects when the first call
    /// wants it.
    ///
    /// - Parameter credentials: for an address with TLS, which needs them; the others take no notice.
    public convenience init(
        address: String, credentials: ClientCredentials? = nil, options: ClientOptions = ClientOptions()
    ) throws(AssayError) {
        try self.init(address: address, credentials: credentials, options: options, time: .real())
    }

    /// Connects before it returns, trying as often as a call does.
    public static func connect(
        to address: String, credentials: ClientCredentials? = nil, options: ClientOptions = ClientOptions()
    ) async throws(AssayError) -> AssayClient {
        let client = try AssayClient(address: address, credentials: credentials, options: options)
        do {
            try await client.caller.connect(timeout: options.timeout)
        } catch {
            throw AssayError(error)
        }
        return client
    }

    package init(
        address text: String, credentials: ClientCredentials? = nil, options: ClientOptions, time: ClientTime
    ) throws(AssayError) {
        guard let address = RPCAddress(parsing: text) else {
            throw AssayError(
                .invalidArgument, "\"\(text)\" is not tls:host:port, host:port, tcp:host:port or unix:/path",
                reason: "bad_address")
        }
        if case .tls = address, credentials == nil {
            throw AssayError(
                .invalidArgument, "\(text) takes a certificate, its key, and the CA of the daemon's",
                reason: "credentials_required")
        }
        self.options = options
        reconnecting = ReconnectingConnection(rule: options.retry, time: time) { () async throws(RPCError) in
            try await RPCConnection.connect(to: address, tls: credentials?.files.current())
        }
        caller = RetryingCaller(reconnecting: reconnecting, rule: options.retry, time: time)
    }

    /// A challenge, and until when it is good.
    public struct IssuedChallenge: Hashable, Sendable {
        /// 54 bytes, opaque.
        public let bytes: [UInt8]
        public let expiry: Timestamp
    }

    /// Asks for a challenge. `context` must be repeated when it is used; `timeToLive` defaults to the app's.
    public func issueChallenge(
        app: AppID, purpose: Purpose, context: [UInt8] = [], timeToLive: Duration? = nil, timeout: Duration? = nil
    ) async throws(AssayError) -> IssuedChallenge {
        let response: Assay_V1_IssueChallengeResponse = try await call(
            "/assay.v1.Attestation/IssueChallenge", .idempotent,
            Assay_V1_IssueChallengeRequest.with {
                $0.app = app.text
                $0.purpose = purpose.message
                $0.context = Data(context)
                $0.ttlMs = timeToLive?.wholeMilliseconds ?? 0
            }, timeout)
        return IssuedChallenge(
            bytes: Array(response.challenge), expiry: Timestamp(unixMilliseconds: response.expiresAtUnixMs))
    }

    /// Asks for a verdict. A rejection is a verdict too.
    ///
    /// A request without an idempotency key gets one for this call, unless the options say otherwise, so that it can be
    /// repeated when its answer was lost. The verdict is then not marked `repeated`, whichever try it answers: nobody has
    /// been given it before. Under a key of your own the mark is the daemon's.
    public func verify(
        _ request: VerificationRequest, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Verdict {
        let path = "/assay.v1.Attestation/Verify"
        guard request.idempotencyKey.isEmpty else { return try await call(path, .idempotent, request.message, timeout) }
        guard options.idempotencyKeys else { return try await call(path, .notIdempotent, request.message, timeout) }
        var keyed = request
        keyed.idempotencyKey = SecureRandom.bytes(16)
        var verdict: Assay_V1_Verdict = try await call(path, .idempotent, keyed.message, timeout)
        verdict.repeated = false
        return verdict
    }

    /// The record of a device.
    public func device(
        _ id: DeviceID, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            "/assay.v1.Devices/Get", .idempotent,
            Assay_V1_GetDeviceRequest.with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
            }, timeout)
    }

    /// The record of the device with a key.
    public func device(
        keyID: [UInt8], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            "/assay.v1.Devices/Get", .idempotent,
            Assay_V1_GetDeviceRequest.with {
                $0.app = app.text
                $0.keyID = Data(keyID)
            }, timeout)
    }

    /// How the daemon is.
    public func status(timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_StatusResponse {
        try await call("/assay.v1.Operations/Status", .idempotent, Assay_V1_StatusRequest(), timeout)
    }

    /// The round trip of a ping, which no handler sees. It is tried once.
    public func ping() async throws(AssayError) -> Duration {
        do { return try await reconnecting.connection(within: options.timeout).ping() } catch { throw AssayError(error) }
    }

    /// Closes the connection after the calls in flight. The client takes no calls any more.
    public func close() async { await reconnecting.close() }

    func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ idempotency: Idempotency, _ request: some SwiftProtobuf.Message, _ timeout: Duration?
    ) async throws(AssayError) -> Reply {
        do {
            return try await caller.call(method, request, idempotency, timeout: timeout ?? options.timeout)
        } catch {
            throw AssayError(error)
        }
    }
}

extension Duration {
    /// Held at the ends of the range, of which the lower is 1: on the wire 0 is the app's default.
    fileprivate var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let whole = overflow ? seconds : product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
        return max(1, UInt32(clamping: whole))
    }
}
