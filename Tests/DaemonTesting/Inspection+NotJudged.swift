import AssayConfiguration
import AssayCore
import AssaySchemes

extension Inspection {
    /// The checks that were not judged, in order.
    var notJudged: [String] {
        findings.filter { $0.code == Finding.notJudged || $0.outcome == .unavailable }.map(\.check)
    }
}
