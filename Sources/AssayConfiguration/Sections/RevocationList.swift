package import AssayCore
import AssayVendors

/// Revocation lists as files, for tools.
package enum RevocationList {
    /// Reads a list in the format of Google's service.
    package static func snapshot(of text: [UInt8]) throws(RevocationListError) -> RevocationSnapshot {
        do throws(FeedError) {
            return try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: .distantPast)
        } catch {
            throw RevocationListError(description: error.description)
        }
    }

    /// The entries of a list in the format of Google's service, in the order of their serial numbers.
    package static func entries(
        of text: [UInt8]
    ) throws(RevocationListError) -> [(serial: [UInt8], entry: RevocationSnapshot.Entry)] {
        try snapshot(of: text).inOrder
    }
}

/// The text is not a revocation list.
package struct RevocationListError: Error, CustomStringConvertible {
    package let description: String
}
