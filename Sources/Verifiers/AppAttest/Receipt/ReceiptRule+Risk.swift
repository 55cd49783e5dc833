import AssayCore

extension ReceiptRule {
    /// Judges the known risk metric of a device when it signs. A metric that is not known yet does not count against the
    /// device. One that can never be known does if a high one rejects: otherwise an invalid receipt would disable the rule.
    func judgeRisk(of device: Device, _ appraisal: inout Appraisal) throws(Rejection) {
        appraisal.claims.add(contentsOf: device.exchange.claims)
        guard let limit = maxRiskMetric else { return }
        guard let metric = device.exchange.metric else {
            let isExchangeable = device.registration.claims[AppAttestAttestationVerifier.receiptVerified] == .boolean(true)
            guard isExchangeable || !rejectsHighRisk else {
                return try appraisal.require(
                    "risk_metric", false, else: .receiptNotVerified,
                    "the device was registered without a verified receipt, so that its risk can never be known")
            }
            appraisal.note("risk_metric", "risk_metric_unavailable", "no receipt with a risk metric is known of the device")
            return
        }
        let detail = "the metric of \(metric.at) is \(metric.value), above \(limit)"
        guard metric.value > limit, !rejectsHighRisk else {
            return try appraisal.require("risk_metric", metric.value <= limit, else: .riskMetricTooHigh, detail)
        }
        appraisal.note("risk_metric", ReasonCode.riskMetricTooHigh.rawValue, detail)
    }
}
