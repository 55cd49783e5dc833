public import AssayAPI
public import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// A connection to a daemon. Calls are multiplexed: use one client from as many tasks as you like.
///
///     let assay = try await AssayClient.connect(to: "127.0.0.1:7421")
///     let challenge = try await assay.issueChallenge(app: "camera", purpose: .assert)
///     // … the device signs `ClientData(purpose: .assert, challenge: challenge.bytes, payload: photo)` …
///     let verdict = try await assay.verify(request)
public final class AssayClient: Sendable {
    /// What one call may take before it fails with `deadlineExceeded`.
    public static let usualTimeout = Duration.seconds(10)

    private let connection: RPCConnection

    /// Connects to `host:port`, `tcp:host:port` or `unix:/path`.
    public static func connect(to address: String) async throws(AssayError) -> AssayClient {
        guard let address = RPCAddress(parsing: address) else {
            throw AssayError(
                .invalidArgument, "\"\(address)\" is not host:port, tcp:host:port or unix:/path", reason: "bad_address")
        }
        do {
            return AssayClient(try await RPCConnection.connect(to: address))
        } catch {
            throw AssayError(error)
        }
    }

    private init(_ connection: RPCConnection) { self.connection = connection }

    /// A challenge, and until when it is good.
    public struct IssuedChallenge: Hashable, Sendable {
        /// 54 bytes, opaque.
        public let bytes: [UInt8]
        public let expiry: Timestamp
    }

    /// Asks for a challenge. `context` must be repeated when it is used; `timeToLive` defaults to the app's.
    public func issueChallenge(
        app: AppID, purpose: Purpose, context: [UInt8] = [], timeToLive: Duration? = nil, timeout: Duration = usualTimeout
    ) async throws(AssayError) -> IssuedChallenge {
        let response: Assay_V1_IssueChallengeResponse = try await call(
            "/assay.v1.Attestation/IssueChallenge",
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
    public func verify(
        _ request: VerificationRequest, timeout: Duration = usualTimeout
    ) async throws(AssayError) -> Assay_V1_Verdict {
        try await call("/assay.v1.Attestation/Verify", request.message, timeout)
    }

    /// The record of a device.
    public func device(
        _ id: DeviceID, app: AppID, timeout: Duration = usualTimeout
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            "/assay.v1.Devices/Get",
            Assay_V1_GetDeviceRequest.with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
            }, timeout)
    }

    /// The record of the device with a key.
    public func device(
        keyID: [UInt8], app: AppID, timeout: Duration = usualTimeout
    ) async throws(AssayError) -> Assay_V1_Device {
        try await call(
            "/assay.v1.Devices/Get",
            Assay_V1_GetDeviceRequest.with {
                $0.app = app.text
                $0.keyID = Data(keyID)
            }, timeout)
    }

    /// How the daemon is.
    public func status(timeout: Duration = usualTimeout) async throws(AssayError) -> Assay_V1_StatusResponse {
        try await call("/assay.v1.Operations/Status", Assay_V1_StatusRequest(), timeout)
    }

    /// The round trip of a ping, which no handler sees.
    public func ping() async throws(AssayError) -> Duration {
        do { return try await connection.ping() } catch { throw AssayError(error) }
    }

    /// Closes the connection after the calls in flight.
    public func close() async { await connection.close() }

    func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, _ timeout: Duration
    ) async throws(AssayError) -> Reply {
        do {
            return try await connection.call(method, request, timeout: timeout)
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
