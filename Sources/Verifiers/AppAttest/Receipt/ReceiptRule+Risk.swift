import AssayCore

extension ReceiptRule {
    /// Judges what is known of a device's risk when it signs. What is not known speaks against nobody.
    func judgeRisk(of exchange: ReceiptExchange, _ appraisal: inout Appraisal) throws(Rejection) {
        appraisal.claims.add(contentsOf: exchange.claims)
        guard let limit = maxRiskMetric else { return }
        guard let metric = exchange.metric else {
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
