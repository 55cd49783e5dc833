import AssayAPI
import AssayCore
import AssayResults

/// What a signed result says, from the verdict that it is about.
extension ResultFacts {
    /// Of a verdict that was given now; `nil` if it is no acceptance.
    ///
    /// - Parameter message: the verdict's message, without results.
    init?(_ verdict: Verdict, _ message: [UInt8], of request: AuthorizedRequest) {
        guard case .accepted(let assurance) = verdict.decision else { return nil }
        self.init(
            request, message, assurance: assurance, device: verdict.device, deviceKey: verdict.registration?.publicKey,
            payloadHash: verdict.binding?.payloadHash, policyDigest: verdict.policyDigest, requestID: verdict.requestID,
            decidedAt: verdict.decidedAt, simulated: verdict.simulated, confidence: verdict.confidence?.level,
            limits: verdict.limits)
    }

    /// Of an accepted verdict that was given before and is repeated.
    ///
    /// - Parameters:
    ///   - message: the verdict, serialised.
    ///   - device: as the registry has it now.
    init(repeating verdict: Assay_V1_Verdict, _ message: [UInt8], of device: Device?, to request: AuthorizedRequest) {
        let payload = Array(verdict.bound.payloadSha256)
        self.init(
            request, message, assurance: UInt8(exactly: verdict.assurance.rawValue).flatMap(Assurance.init(rawValue:)) ?? .none,
            device: device?.id, deviceKey: device?.registration.publicKey,
            payloadHash: payload.isEmpty ? nil : payload, policyDigest: Array(verdict.policyDigest),
            requestID: Array(verdict.requestID), decidedAt: Timestamp(unixMilliseconds: verdict.decidedAtUnixMs),
            simulated: verdict.simulated,
            confidence: UInt8(exactly: verdict.confidence.level.rawValue).flatMap(ConfidenceLevel.init(rawValue:)),
            limits: verdict.limits.compactMap { VerdictLimit($0) })
    }

    private init(
        _ request: AuthorizedRequest, _ message: [UInt8], assurance: Assurance, device: DeviceID?, deviceKey: [UInt8]?,
        payloadHash: [UInt8]?, policyDigest: [UInt8], requestID: [UInt8], decidedAt: Timestamp, simulated: Bool,
        confidence: ConfidenceLevel?, limits: [VerdictLimit]
    ) {
        self.init(
            app: request.request.app, purpose: request.request.purpose, formats: request.request.evidence.map(\.format),
            assurance: assurance, device: device, deviceKey: deviceKey, payloadHash: payloadHash,
            challenge: request.request.challenge, policyDigest: policyDigest, requestID: requestID, decidedAt: decidedAt,
            simulated: simulated, confidence: confidence, limits: limits, json: { Self.json(of: message) },
            message: { message })
    }

    private static let verdictJSON = API.verify.json

    /// A verdict's message as JSON.
    private static func json(of message: [UInt8]) -> [UInt8] { (try? verdictJSON?.writeResponse(message)) ?? [] }
}
