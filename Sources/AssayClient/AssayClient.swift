public import AssayAPI
public import AssayCore
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
/// It reconnects when the connection is lost or the daemon sends GoAway, and retries calls where that is safe: after UNAVAILABLE,
/// RESOURCE_EXHAUSTED and a lost connection. ``ClientOptions`` says how often and for how long.
public final class AssayClient: Sendable {
    private let options: ClientOptions
    private let reconnecting: ReconnectingConnection
    private let caller: RetryingCaller

    /// A client of the daemon at `tls:host:port`, `host:port`, `tcp:host:port` or `unix:/path`, which speaks framed RPC, or at
    /// `https://host:port`, `http://host:port` or `http+unix:/path`, which speaks Connect over HTTP. It connects for the first call.
    ///
    /// - Parameters:
    ///   - credentials: `tls:` needs them, with CAs. Without them `https:` trusts the CAs that the machine trusts and shows no certificate.
    ///     Other addresses ignore them.
    ///   - key: the API key of a caller that has one. It is sent over TLS and to Unix sockets only.
    public convenience init(
        address: String, credentials: ClientCredentials? = nil, key: ClientKey? = nil, options: ClientOptions = ClientOptions()
    ) throws(AssayError) {
        try self.init(address: address, credentials: credentials, key: key, options: options, time: .real())
    }

    /// Connects before it returns, and retries as a call does.
    public static func connect(
        to address: String, credentials: ClientCredentials? = nil, key: ClientKey? = nil,
        options: ClientOptions = ClientOptions()
    ) async throws(AssayError) -> AssayClient {
        try await connect(to: address, credentials: credentials, key: key, options: options, form: HTTPForm())
    }

    /// - Parameter form: of calls to an address of HTTP.
    package static func connect(
        to address: String, credentials: ClientCredentials?, key: ClientKey?, options: ClientOptions, form: HTTPForm
    ) async throws(AssayError) -> AssayClient {
        let client = try AssayClient(
            address: address, credentials: credentials, key: key, options: options, time: .real(), form: form)
        do {
            try await client.caller.connect(timeout: options.timeout)
        } catch {
            throw AssayError(error)
        }
        return client
    }

    package init(
        address text: String, credentials: ClientCredentials? = nil, key: ClientKey? = nil, options: ClientOptions,
        time: ClientTime, form: HTTPForm = HTTPForm()
    ) throws(AssayError) {
        let address = try ServerAddress(parsing: text, credentials, hasKey: key != nil)
        self.options = options
        reconnecting = ReconnectingConnection(rule: options.retry, time: time) { () async throws(RPCError) in
            try await address.connect(credentials, form)
        }
        var caller = RetryingCaller(reconnecting: reconnecting, rule: options.retry, time: time)
        if let key { caller.credential = [RPCMetadata.authorization: "Bearer \(key.text)"] }
        self.caller = caller
    }

    /// A challenge and its expiry.
    public struct IssuedChallenge: Hashable, Sendable {
        /// 54 bytes, opaque.
        public let bytes: [UInt8]
        public let expiry: Timestamp
    }

    /// Issues a challenge. The request that uses it must have the same `context`; `timeToLive` defaults to the app's.
    ///
    /// - Parameter sourceAddress: the IP address of the caller's own client, by which requests are counted where the app limits rates.
    public func issueChallenge(
        app: AppID, purpose: Purpose, context: [UInt8] = [], timeToLive: Duration? = nil, sourceAddress: SourceAddress? = nil,
        timeout: Duration? = nil
    ) async throws(AssayError) -> IssuedChallenge {
        let response = try await call(
            API.issueChallenge,
            .with {
                $0.app = app.text
                $0.purpose = purpose.message
                $0.context = Data(context)
                $0.ttlMs = timeToLive?.wholeMilliseconds ?? 0
                $0.sourceAddress = sourceAddress?.text ?? ""
            }, timeout)
        return IssuedChallenge(
            bytes: Array(response.challenge), expiry: Timestamp(unixMilliseconds: response.expiresAtUnixMs))
    }

    /// Asks for a verdict. A rejection is a verdict too.
    ///
    /// A request without an idempotency key gets one for this call, unless the options say otherwise, so that it can be retried when
    /// its answer was lost. The verdict is then not marked `repeated`, for any of the tries: the caller has not had it before.
    /// Under a key of the caller's own, the mark is the daemon's. Evidence that is a statement of its own (a certificate bundle) stays
    /// marked if the same statement was accepted in an earlier call.
    public func verify(
        _ request: VerificationRequest, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Verdict {
        guard request.idempotencyKey.isEmpty, options.idempotencyKeys else {
            return try await call(API.verify, request.message, timeout, hasKey: !request.idempotencyKey.isEmpty)
        }
        var keyed = request
        keyed.idempotencyKey = SecureRandom.bytes(16)
        var verdict = try await call(API.verify, keyed.message, timeout, hasKey: true)
        verdict.repeated = verdict.repeated && verdict.findings.contains { $0.code == Finding.repeatedStatement }
        return verdict
    }

    /// Asks for what a device needs before it can make evidence of a format, such as the session of a capture. FAILED_PRECONDITION with the
    /// code of what prepares it if that refuses.
    ///
    /// - Parameters:
    ///   - body: at most 512 KiB, in the form of the format.
    ///   - sourceAddress: the IP address of the caller's own client, by which requests are counted where the app limits rates.
    public func prepare(
        _ format: EvidenceFormat, for app: AppID, body: [UInt8] = [], sourceAddress: SourceAddress? = nil,
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_PrepareResponse {
        try await call(
            API.prepare,
            .with {
                ($0.app, $0.format, $0.body) = (app.text, format.rawValue, Data(body))
                $0.sourceAddress = sourceAddress?.text ?? ""
            }, timeout)
    }

    /// The record of a device.
    public func device(
        _ id: DeviceID, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            API.getDevice,
            .with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
            }, timeout)
    }

    /// The record of the device with a key.
    public func device(
        keyID: [UInt8], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            API.getDevice,
            .with {
                $0.app = app.text
                $0.keyID = Data(keyID)
            }, timeout)
    }

    /// The record of the device that was provisioned last under a serial number of a fleet.
    public func device(
        serial: String, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(API.getDevice, .with { ($0.app, $0.deviceSerial) = (app.text, serial) }, timeout)
    }

    /// The daemon's metrics as they are now.
    public func metrics(timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_MetricsResponse {
        try await call(API.metrics, Assay_V1_MetricsRequest(), timeout)
    }

    /// The daemon's status.
    public func status(timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_StatusResponse {
        try await call(API.status, Assay_V1_StatusRequest(), timeout)
    }

    /// What the daemon knows of this client: its name, what it may do, and what is left of its rates.
    public func whoAmI(timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_WhoAmIResponse {
        try await call(API.whoAmI, Assay_V1_WhoAmIRequest(), timeout)
    }

    /// The round-trip time of a ping, which no method sees; over HTTP that of a HEAD request, which a proxy before the daemon may answer. It
    /// is tried once.
    public func ping() async throws(AssayError) -> Duration {
        do { return try await reconnecting.connection(within: options.timeout).ping() } catch { throw AssayError(error) }
    }

    /// Gives a request without an idempotency key one of its own, unless the options say otherwise.
    ///
    /// - Returns: whether the caller gave the key, or none is used.
    func addKey(_ key: inout Data) -> Bool {
        guard key.isEmpty, options.idempotencyKeys else { return true }
        key = Data(SecureRandom.bytes(16))
        return false
    }

    /// Closes the connection after the calls in flight have ended. The client takes no more calls.
    public func close() async { await reconnecting.close() }

    /// Begins a call whose answer is a stream. It is begun once.
    func stream<Method: APIMethod>(
        _ method: Method, _ request: Method.Request
    ) async throws(AssayError) -> RPCItems<Method.Response> {
        do {
            return try await reconnecting.connection(within: options.timeout)
                .stream(
                    method.path, request, of: Method.Response.self, timeout: nil,
                    metadata: caller.credential.merging(TraceContext.current?.metadata ?? [:]))
        } catch {
            throw AssayError(error)
        }
    }

    /// - Parameter hasKey: the request carries an idempotency key.
    func call<Method: APIMethod>(
        _ method: Method, _ request: Method.Request, _ timeout: Duration?, hasKey: Bool = false
    ) async throws(AssayError) -> Method.Response {
        let isIdempotent = method.declaration.idempotency.allowsRepeating(hasKey: hasKey)
        do {
            return try await caller.call(
                method.path, request, isIdempotent: isIdempotent, timeout: timeout ?? options.timeout,
                metadata: TraceContext.current?.metadata ?? [:])
        } catch {
            throw AssayError(error)
        }
    }
}

extension Duration {
    /// Clamped to 1 and `UInt32.max`: on the wire 0 stands for the app's default.
    fileprivate var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let whole = overflow ? seconds : product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
        return max(1, UInt32(clamping: whole))
    }
}
