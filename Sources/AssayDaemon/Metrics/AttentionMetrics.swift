import AssayAPI
import AssayMetrics
import AssayService

/// What needs attention, by code: an alert rule needs no other metric.
enum AttentionMetrics: StatusSubject {
    private static let attention = MetricFamily(
        "assay_attention", .gauge, labels: ["code"],
        "Things that need attention, by their code in assay status; 0 for a code that nothing has.")

    static var families: [MetricFamily] { [attention] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        for code in AttentionCode.allCases {
            exposition.add(attention, [code.rawValue], count: status.attention.count { $0.code == code.rawValue })
        }
    }
}
