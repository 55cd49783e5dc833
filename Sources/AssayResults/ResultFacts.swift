package import AssayCore

/// What a signed result says of an accepted verdict: the one input of every shape.
package struct ResultFacts: Sendable {
    package var app: AppID
    package var purpose: Purpose
    /// The formats of the evidence, in order; never empty.
    package var formats: [EvidenceFormat]
    package var assurance: Assurance
    /// `nil` if the verdict is about no registered device.
    package var device: DeviceID?
    /// The device's public key as its registration has it (`Registration.publicKey`); `nil` if there is none.
    package var deviceKey: [UInt8]?
    /// SHA-256 of the payload that the device's signature covers, 32 bytes; `nil` if it covers none, or only the caller knows it.
    package var payloadHash: [UInt8]?
    /// The challenge that the evidence answered; empty if there was none.
    package var challenge: [UInt8]
    /// SHA-256, 32 bytes.
    package var policyDigest: [UInt8]
    /// 16 bytes.
    package var requestID: [UInt8]
    /// From here a result's life is counted, however late it is signed.
    package var decidedAt: Timestamp
    /// Trust rests on a test root.
    package var simulated: Bool
    /// `nil` for an app without a rule of confidence.
    package var confidence: ConfidenceLevel?
    /// What the verdict does not say.
    package var limits: [VerdictLimit]
    /// The verdict as the JSON of its message (`assay.v1.Verdict`), an object; empty if it cannot be written. Called for the shape that signs it.
    package var json: @Sendable () -> [UInt8]
    /// The verdict's message (`assay.v1.Verdict`) in protobuf. Called for the shape that signs it.
    package var message: @Sendable () -> [UInt8]

    package init(
        app: AppID, purpose: Purpose, formats: [EvidenceFormat], assurance: Assurance, device: DeviceID?, deviceKey: [UInt8]?,
        payloadHash: [UInt8]?, challenge: [UInt8], policyDigest: [UInt8], requestID: [UInt8], decidedAt: Timestamp,
        simulated: Bool, confidence: ConfidenceLevel?, limits: [VerdictLimit], json: @escaping @Sendable () -> [UInt8],
        message: @escaping @Sendable () -> [UInt8]
    ) {
        (self.app, self.purpose, self.formats, self.assurance) = (app, purpose, formats, assurance)
        (self.device, self.deviceKey, self.payloadHash, self.challenge) = (device, deviceKey, payloadHash, challenge)
        (self.policyDigest, self.requestID, self.decidedAt) = (policyDigest, requestID, decidedAt)
        (self.simulated, self.confidence, self.limits) = (simulated, confidence, limits)
        (self.json, self.message) = (json, message)
    }
}

/// Where the status of a result is published: a place in a list (draft-ietf-oauth-status-list).
package struct ResultStatusReference: Hashable, Sendable {
    /// The list's address, exactly as it is the list's `sub`.
    package let uri: String
    /// `idx`: the place in the list.
    package let index: UInt32

    package init(uri: String, index: UInt32) { (self.uri, self.index) = (uri, index) }
}
