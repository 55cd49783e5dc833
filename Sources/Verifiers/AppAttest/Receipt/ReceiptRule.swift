import AssayCertificates

/// What an app wants done with the receipt inside an attestation.
package struct ReceiptRule: Hashable, Sendable {
    package enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Kept and not looked at.
        case off
        /// Verified; a failure is a note among the findings.
        case report
        /// Verified; a failure rejects. Devices whose receipt was not verified are refused at each use.
        case require
    }

    package var mode: Mode
    /// How long ago the receipt may have been made, in milliseconds. Apple asks for five minutes.
    package var maxAgeMilliseconds: Int64

    /// The highest risk metric that raises no question; `nil`: every metric is as good. What Apple says is a signal: reinstalling
    /// and handing a device over raise it, too.
    package var maxRiskMetric: Int64?
    /// Whether a higher one rejects; a note says so otherwise.
    package var rejectsHighRisk: Bool

    /// The age that Apple's "Assessing fraud risk" asks for.
    package static let usualAge: Int64 = 5 * 60_000

    package init(
        mode: Mode = .report, maxAgeMilliseconds: Int64 = usualAge, maxRiskMetric: Int64? = nil, rejectsHighRisk: Bool = false
    ) {
        (self.mode, self.maxAgeMilliseconds) = (mode, maxAgeMilliseconds)
        (self.maxRiskMetric, self.rejectsHighRisk) = (maxRiskMetric, rejectsHighRisk)
    }

    /// How long after it was accepted an attestation can be accepted again by its receipt's age, in milliseconds: skew, and the
    /// age. `nil` where the age decides nothing.
    package var acceptableFor: Int64? {
        mode == .require ? maxAgeMilliseconds + ReceiptVerifier.chainProfile.skewMilliseconds : nil
    }
}
