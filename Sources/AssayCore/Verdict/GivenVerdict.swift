/// A verdict that was given, for those who observe verdicts.
package struct GivenVerdict: Sendable {
    /// 16 bytes.
    package let requestID: [UInt8]
    package let app: AppID
    package let caller: String
    package let purpose: Purpose
    /// The formats of the evidence, in order.
    package let formats: [EvidenceFormat]
    /// Why it was rejected, and by which check; `nil` for an acceptance.
    package let rejection: (code: String, check: String)?
    package let assurance: Assurance
    package let device: DeviceID?
    package let policyDigest: [UInt8]
    package let simulated: Bool
    /// The stored answer of an equal request.
    package let repeated: Bool
    package let decidedAt: Timestamp
    package let traits: Traits

    /// What an observer compares between verdicts. Empty or 0 where it is not known.
    package struct Traits: Hashable, Sendable {
        /// The longest model, in bytes.
        package static let modelLimit = 256

        /// Keyed hashes of 32 bytes: of the address that the caller says that its client has, and of the request's subject. Equal values of
        /// an app have equal hashes.
        package var address: [UInt8] = []
        package var subject: [UInt8] = []
        /// Of accepted evidence, a keyed hash of the id of the key that signed: 32 bytes.
        package var key: [UInt8] = []
        /// Of accepted evidence: the device's model in UTF-8.
        package var model: [UInt8] = []
        /// Of accepted evidence: year and month, such as 202408.
        package var osPatchLevel: UInt32 = 0
        /// Of accepted evidence: above 0.
        package var counter: UInt32 = 0

        package init() {}
    }

    package init(
        requestID: [UInt8], app: AppID, caller: String, purpose: Purpose, formats: [EvidenceFormat],
        rejection: (code: String, check: String)?, assurance: Assurance, device: DeviceID?, policyDigest: [UInt8],
        simulated: Bool, repeated: Bool, decidedAt: Timestamp, traits: Traits = Traits()
    ) {
        (self.requestID, self.app, self.caller, self.purpose) = (requestID, app, caller, purpose)
        (self.formats, self.rejection, self.assurance, self.device) = (formats, rejection, assurance, device)
        (self.policyDigest, self.simulated, self.repeated, self.decidedAt) = (policyDigest, simulated, repeated, decidedAt)
        self.traits = traits
    }
}

/// Gets the verdicts after they were answered.
package protocol VerdictObserver: Sendable {
    /// Whether verdicts of the app are observed: those of others are not handed over.
    func observes(_ app: AppID) -> Bool
    /// Returns at once. What cannot be kept is dropped and counted.
    func observe(_ verdicts: [GivenVerdict])
}
