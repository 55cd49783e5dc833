import AppAttest
import AssayCore
import Testing

@Suite("Risk metric")
struct RiskMetricTests {
    private func appraise(_ risk: Int64?, _ rule: ReceiptRule = ReceiptRule()) throws -> Appraisal {
        try AssertionCase(0, "risk", nil) {
            $0.policy.receipt = rule
            if let risk { $0.found = { $0.with(risk: risk) } }
        }.appraise()
    }

    private func finding(_ appraisal: Appraisal) -> Finding? { appraisal.findings.first { $0.check == "risk_metric" } }

    @Test("A known risk metric is claimed with its time, and rejects nothing by itself")
    func claimed() throws {
        let known = try appraise(900)
        #expect(known.claims.integer("risk_metric") == 900)
        #expect(known.claims["risk_metric_time"] == .time(Sample.now.adding(milliseconds: -86_400_000)))
        #expect(finding(known) == nil && known.failure == nil)
        let unknown = try appraise(nil)
        #expect(unknown.claims["risk_metric"] == nil && unknown.claims["risk_metric_time"] == nil)
        #expect(finding(unknown) == nil)
    }

    @Test("A risk metric above the limit, or an unknown one, is a note")
    func noted() throws {
        let rule = ReceiptRule(maxRiskMetric: 3)
        #expect(finding(try appraise(3, rule))?.outcome == .pass)
        let high = try appraise(4, rule)
        #expect(finding(high)?.outcome == .note && finding(high)?.code == "risk_metric_too_high")
        #expect(high.failure == nil)
        let unknown = try appraise(nil, rule)
        #expect(finding(unknown)?.outcome == .note && finding(unknown)?.code == "risk_metric_unavailable")
    }

    @Test("A risk metric above the limit rejects if the app says so, and an unknown one never does")
    func rejected() throws {
        let rule = ReceiptRule(maxRiskMetric: 3, rejectsHighRisk: true)
        #expect(try appraise(4, rule).failure?.code == "risk_metric_too_high")
        #expect(try appraise(3, rule).failure == nil)
        #expect(try appraise(nil, rule).failure == nil)
    }
}
