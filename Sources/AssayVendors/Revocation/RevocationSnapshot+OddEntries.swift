package import AssayCore
package import Logging

extension RevocationSnapshot {
    /// Logs entries that are not of the documented form. Call it once for each version of a list.
    package func logOddEntries(by logger: Logger) {
        guard oddEntries != .none else { return }
        var metadata: Logger.Metadata = [
            "feed": "\(feed.name)", "version": "\(feed.id)", "entries": "\(count)",
            "unreadable": "\(oddEntries.unreadable)", "unknown_status": "\(oddEntries.unknownStatus)",
        ]
        if !oddEntries.example.isEmpty { metadata["example"] = "\(oddEntries.example)" }
        logger.warning("a list has entries that are not of the documented form; the rest of it is used", metadata: metadata)
    }
}
