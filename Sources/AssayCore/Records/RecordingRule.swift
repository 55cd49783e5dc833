/// Which verdicts of an app are recorded so that another policy can judge them again: the section `apps.<app>.record`.
package struct RecordingRule: Hashable, Sendable {
    /// The share of acceptances that are recorded, from 0 to 1.
    package var accepted = 1.0
    /// The share of rejections that are recorded, from 0 to 1.
    package var rejected = 1.0
    /// How long, in milliseconds.
    package var age: Int64 = 7 * 86_400_000
    /// The most of the app's recordings together, in bytes. The oldest are dropped.
    package var bytes: Int64 = 256 << 20
    /// Whether the evidence is kept too, encrypted.
    package var keepsEvidence = false

    package init() {}

    /// Whether a verdict is recorded: by its request id, which looks random, so that the choice needs no state.
    package func takes(_ requestID: [UInt8], isAccepted: Bool) -> Bool {
        let share = isAccepted ? accepted : rejected
        guard share < 1 else { return true }
        let number = requestID.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Double(number) < share * 4_294_967_296
    }
}
