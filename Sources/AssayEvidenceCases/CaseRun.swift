import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

/// The making of one case: what the test asked for, the device, and the daemon.
final class CaseRun {
    let asked: CaseRequest
    let purpose: Purpose
    let policy: CasePolicy
    let client: AssayClient
    /// The device of the test. A case that alters the registration takes a key of its own (``stranger()``).
    var device: CaseDevice

    init(_ asked: CaseRequest, purpose: Purpose, device: CaseDevice, client: AssayClient, policy: CasePolicy) {
        (self.asked, self.purpose, self.device) = (asked, purpose, device)
        (self.client, self.policy) = (client, policy)
    }

    private static let patience = Duration.seconds(10)
    let now = SystemClock().now()
    var app: AppID { policy.app }

    // MARK: Devices

    /// Another device of the same platform, whose key is not registered.
    func stranger() throws -> CaseDevice { try CaseDevice(device.platform, policy) }

    /// The device of the test, with a key that the daemon knows.
    func ready() async throws -> CaseDevice {
        if try await client.findDevice(keyID: device.keyID, app: app, timeout: Self.patience) == nil {
            try await register(device)
        }
        return device
    }

    /// Registers a device's key.
    ///
    /// - Returns: the id of the device.
    @discardableResult
    func register(_ device: CaseDevice, subject: [UInt8] = []) async throws -> DeviceID {
        let verdict = try await accept(try await registration(of: device, subject: subject))
        guard let id = DeviceID(bytes: Array(verdict.deviceID)) else {
            throw CaseError(.preparation, "the daemon names no device of a registration")
        }
        return id
    }

    /// Registers a device's key for a subject; `false` if that has as many devices as the app allows.
    func registers(_ device: CaseDevice, subject: [UInt8]) async throws -> Bool {
        let request = try await registration(of: device, subject: subject)
        let verdict = try await send(request)
        guard verdict.reason != ReasonCode.tooManyDevices.rawValue else { return false }
        try require(verdict)
        return true
    }

    private func registration(of device: CaseDevice, subject: [UInt8]) async throws -> VerificationRequest {
        let challenge = try await issue(.register)
        let data = try clientData(.register, challenge, nil)
        return VerificationRequest(
            app: app, purpose: .register, challenge: challenge, evidence: [try device.attest(data, at: now)],
            subject: subject)
    }

    // MARK: Challenges

    /// The challenge of the test's caller, or a new one under its context.
    func challenge() async throws -> [UInt8] {
        if let challenge = asked.challenge { return challenge }
        return try await issue(purpose, context: asked.context)
    }

    /// A new challenge.
    func issue(_ purpose: Purpose, context: [UInt8] = [], lifetime: Duration? = nil) async throws -> [UInt8] {
        try await client.issueChallenge(
            app: app, purpose: purpose, context: context, timeToLive: lifetime, timeout: Self.patience
        ).bytes
    }

    func clientData(_ purpose: Purpose, _ challenge: [UInt8], _ payloadHash: [UInt8]?) throws(CaseError) -> ClientData {
        guard let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: payloadHash) else {
            throw CaseError(
                .malformedRequest,
                "a challenge has \(Challenge.length) bytes and the payload's SHA-256 has 32; these have \(challenge.count) and "
                    + "\(payloadHash?.count ?? 32)")
        }
        return data
    }

    /// What the device signs for the request.
    func clientData(_ challenge: [UInt8]) throws(CaseError) -> ClientData {
        try clientData(purpose, challenge, asked.payloadHash)
    }

    // MARK: Requests

    /// A request with the evidence, as the test's caller sends it.
    func request(_ challenge: [UInt8], _ evidence: Evidence) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: purpose, challenge: challenge, context: asked.context, evidence: [evidence],
            binding: .clientData(payloadHash: asked.payloadHash), subject: asked.subject,
            expectedDevice: asked.expectedDevice, idempotencyKey: asked.idempotencyKey)
    }

    /// The request of an honest device over the challenge: an attestation of a new key, which is the device's from now on, or a signature.
    func honest(_ challenge: [UInt8]) async throws -> VerificationRequest {
        let data = try clientData(challenge)
        guard purpose == .register else {
            device = try await ready()
            return request(challenge, try device.sign(data))
        }
        device = try stranger()
        return request(challenge, try device.attest(data, at: now))
    }

    func honest() async throws -> VerificationRequest { try await honest(try await challenge()) }

    /// The request of a device that the test does not use again.
    func signed(by other: CaseDevice) async throws -> VerificationRequest {
        let challenge = try await challenge()
        var other = other
        return request(challenge, try other.sign(try clientData(challenge)))
    }

    /// Sends a request that must be accepted, under no idempotency key of the test and with no expected device.
    @discardableResult
    func accept(_ request: VerificationRequest) async throws -> Assay_V1_Verdict {
        let verdict = try await send(request)
        try require(verdict)
        return verdict
    }

    private func require(_ verdict: Assay_V1_Verdict) throws(CaseError) {
        guard verdict.decision != .accepted else { return }
        throw CaseError(
            .preparation,
            "what has to be accepted before the case \(asked.name) was rejected: \(verdict.reason) (\(verdict.detail))")
    }

    /// Sends a request, which may be rejected.
    @discardableResult
    func send(_ request: VerificationRequest) async throws -> Assay_V1_Verdict {
        var request = request
        (request.idempotencyKey, request.expectedDevice) = ([], nil)
        return try await client.verify(request, timeout: Self.patience)
    }

    /// Sends a request that must be accepted under the test's idempotency key.
    func acceptUnderKey(_ request: VerificationRequest) async throws {
        try require(try await client.verify(request, timeout: Self.patience))
    }
}

extension AssayClient {
    /// The record of the device with a key; `nil`: there is none.
    fileprivate func findDevice(
        keyID: [UInt8], app: AppID, timeout: Duration
    ) async throws(AssayError) -> Assay_V1_Device? {
        do throws(AssayError) { return try await device(keyID: keyID, app: app, timeout: timeout) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
