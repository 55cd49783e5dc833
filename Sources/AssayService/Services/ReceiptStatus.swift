import AssayAPI
package import AssayCore
import SwiftProtobuf

/// How the exchange of receipts for newer ones goes, since the daemon started.
package struct ReceiptStatus: Hashable, Sendable {
    package struct Problem: Hashable, Sendable {
        package let at: Timestamp
        package let text: String
        package init(at: Timestamp, text: String) { (self.at, self.text) = (at, text) }
    }

    package let due: Int
    package let exchanged: UInt64
    package let failed: UInt64
    package let ended: UInt64
    package let problem: Problem?

    package init(due: Int, exchanged: UInt64, failed: UInt64, ended: UInt64, problem: Problem?) {
        (self.due, self.exchanged, self.failed) = (due, exchanged, failed)
        (self.ended, self.problem) = (ended, problem)
    }

    var message: Assay_V1_StatusResponse.ReceiptExchange {
        .with {
            $0.due = Int64(due)
            ($0.exchanged, $0.failed, $0.ended) = (exchanged, failed, ended)
            $0.problem = problem?.text ?? ""
            $0.problemAtUnixMs = problem?.at.unixMilliseconds ?? 0
        }
    }
}
