import AssayCertificates
package import AssayCore

/// An app's rule for the receipt inside an attestation.
package struct ReceiptRule: Hashable, Sendable {
    package enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Stored and not checked.
        case off
        /// Verified; a failure is a note among the findings.
        case report
        /// Verified; a failure rejects. Devices whose receipt was not verified are refused at each use.
        case require
    }

    package var mode: Mode
    /// The greatest age of the receipt, in milliseconds. Apple recommends five minutes.
    package var maxAgeMilliseconds: Int64

    /// The highest risk metric without a finding; `nil`: no limit. The metric is a signal: reinstalling the app and passing the
    /// device on raise it, too.
    package var maxRiskMetric: Int64?
    /// Whether a higher metric rejects; otherwise it is a note.
    package var rejectsHighRisk: Bool

    /// The age that Apple's "Assessing fraud risk" recommends.
    package static let usualAge: Int64 = 5 * 60_000

    package init(
        mode: Mode = .report, maxAgeMilliseconds: Int64 = usualAge, maxRiskMetric: Int64? = nil, rejectsHighRisk: Bool = false
    ) {
        (self.mode, self.maxAgeMilliseconds) = (mode, maxAgeMilliseconds)
        (self.maxRiskMetric, self.rejectsHighRisk) = (maxRiskMetric, rejectsHighRisk)
    }

    package func describe(in policy: inout PolicyText) {
        policy.add("mode", mode.rawValue)
        policy.add("max_risk_metric", optional: maxRiskMetric)
        policy.add("high_risk", hashed: rejectsHighRisk ? 1 : 0, shown: rejectsHighRisk ? "reject" : "report")
        if mode != .off { policy.add("max_age", milliseconds: maxAgeMilliseconds) }
    }

    /// How long after its acceptance the receipt's age allows an attestation to be accepted again, in milliseconds: skew plus
    /// age. `nil` if the age decides nothing.
    package var acceptableFor: Int64? {
        mode == .require ? maxAgeMilliseconds + ReceiptVerifier.chainProfile.skewMilliseconds : nil
    }
}

extension ReceiptRule {
    /// Judges the known risk metric of a device when it signs. A metric that is not known yet does not count against the
    /// device. One that can never be known does if a high one rejects: otherwise an invalid receipt would disable the rule.
    func judgeRisk(of device: Device, _ appraisal: inout Appraisal) throws(Rejection) {
        appraisal.claims.add(contentsOf: device.exchange.claims)
        guard let limit = maxRiskMetric else { return }
        guard let metric = device.exchange.metric else {
            let isExchangeable = device.registration.appAttestFacts.hasVerifiedReceipt
            guard isExchangeable || !rejectsHighRisk else {
                return try appraisal.require(
                    "risk_metric", false, else: .receiptNotVerified,
                    "the device was registered without a verified receipt, so that its risk can never be known")
            }
            appraisal.note("risk_metric", "risk_metric_unavailable", "no receipt with a risk metric is known of the device")
            return
        }
        // Made where it is said: most metrics are low, and a time takes long to write.
        var detail: String { "the metric of \(metric.at) is \(metric.value), above \(limit)" }
        guard metric.value > limit, !rejectsHighRisk else {
            return try appraisal.require("risk_metric", metric.value <= limit, else: .riskMetricTooHigh, detail)
        }
        appraisal.note("risk_metric", ReasonCode.riskMetricTooHigh.rawValue, detail)
    }
}
