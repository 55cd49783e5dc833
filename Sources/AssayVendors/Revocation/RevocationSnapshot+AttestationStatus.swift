package import AssayCore
import Crypto
package import Logging

extension RevocationSnapshot {
    /// The largest accepted list, in bytes. The list of 2026 has some hundred kilobytes.
    package static let sizeLimit = 8 << 20

    /// A version of Google's list, identified by the SHA-256 of its text. Throws `FeedError.malformed` for anything else.
    package convenience init(attestationStatus text: [UInt8], feed name: String, asOf: Timestamp) throws(FeedError) {
        guard text.count <= Self.sizeLimit else { throw .malformed("it has more than \(Self.sizeLimit) bytes") }
        let list: AttestationStatusList
        do throws(AttestationStatusListError) {
            list = try AttestationStatusList(parsing: text[...])
        } catch {
            throw .malformed(error.description)
        }
        let id = Hex.encode(SHA256.bytes(of: text).prefix(8))
        self.init(feed: FeedVersion(name: name, id: id, asOf: asOf), bySerial: list.entries, oddEntries: list.oddEntries)
    }
}

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
