import AssayAPI
package import AssayCore
import SwiftProtobuf

/// The published status lists, for the status, the metrics and what needs attention.
package struct StatusListReport: Hashable, Sendable {
    /// Those of each issuer.
    package var lists = 0
    /// Since the start.
    package var signed: UInt64 = 0
    /// When every list was last as the ledger says; `nil`: not since the start.
    package var checkedAt: Timestamp?
    /// When the first of the lists ends.
    package var firstEnd: Timestamp?
    /// What stood in the way of the last look; `nil`: nothing.
    package var problem: String?

    package init() {}

    /// As the status shows it.
    var message: Assay_V1_StatusResponse.StatusLists {
        .with {
            $0.lists = UInt32(clamping: lists)
            $0.checkedAtUnixMs = checkedAt?.unixMilliseconds ?? 0
            $0.firstEndUnixMs = firstEnd?.unixMilliseconds ?? 0
            $0.problem = problem ?? ""
        }
    }
}
