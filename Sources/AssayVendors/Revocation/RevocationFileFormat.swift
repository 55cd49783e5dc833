package import AssayCore

/// How the files of one kind of revocation list are read.
package struct RevocationFileFormat: Sendable {
    /// A list as a file has it.
    package struct List: Sendable {
        package let snapshot: RevocationSnapshot
        /// The time until which the issuer makes the next list; `nil` for lists that do not say it.
        package let nextUpdate: Timestamp?

        package init(_ snapshot: RevocationSnapshot, nextUpdate: Timestamp? = nil) {
            (self.snapshot, self.nextUpdate) = (snapshot, nextUpdate)
        }
    }

    /// Reads the file's bytes; the time is that of the file's last change.
    let read: @Sendable ([UInt8], Timestamp) throws(FeedError) -> List
    /// Throws if a list does not replace an earlier one.
    private let replaces: @Sendable (_ new: List, _ old: List) throws(FeedError) -> Void

    package init(
        reading read: @escaping @Sendable ([UInt8], Timestamp) throws(FeedError) -> List,
        replacing replaces: @escaping @Sendable (_ new: List, _ old: List) throws(FeedError) -> Void
    ) {
        (self.read, self.replaces) = (read, replaces)
    }

    func check(_ new: List, after old: List) throws(FeedError) { try replaces(new, old) }

    /// The format of Google's service. A list without a signature that shrinks by more than a quarter is taken for a mistake.
    package static let attestationStatus = RevocationFileFormat { (text, modifiedAt) throws(FeedError) in
        List(try RevocationSnapshot(attestationStatus: text, feed: "file", asOf: modifiedAt))
    } replacing: { (new, old) throws(FeedError) in
        let (count, before) = (new.snapshot.count, old.snapshot.count)
        guard count * 100 >= before * RevocationFeed.shrinkPercent, count > 0 || before == 0 else {
            throw FeedError.shrunken(from: before, to: count)
        }
    }
}
