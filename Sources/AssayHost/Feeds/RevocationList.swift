package import AssayCore
import AssayVendors

/// Lists of revoked certificates as files, for tools.
package enum RevocationList {
    /// A list as Google's service answers it.
    package static func snapshot(of text: [UInt8]) throws(RevocationListProblem) -> RevocationSnapshot {
        do throws(FeedProblem) {
            return try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: .distantPast)
        } catch {
            throw RevocationListProblem(description: error.description)
        }
    }

    /// The entries of a list as Google's service answers it, in the order of their serial numbers.
    package static func entries(
        of text: [UInt8]
    ) throws(RevocationListProblem) -> [(serial: [UInt8], entry: RevocationSnapshot.Entry)] {
        try snapshot(of: text).inOrder
    }
}

/// The text is no list.
package struct RevocationListProblem: Error, CustomStringConvertible {
    package let description: String
}
