package import AssayCore
import AssaySQLite
import AssaySchemes

/// The operator's word that an empty ledger is to be a new one, although its key file exists: once for each id, and until a time.
package struct NewLedgerDeclaration: Hashable, Sendable {
    /// How far ahead the end may lie, in milliseconds: a declaration that is forgotten in the file ends by itself.
    package static let longest: Int64 = 7 * 86_400_000

    /// Each is good for one ledger.
    package let id: String
    package let until: Timestamp
    /// The file that remembers the ids that were used. It is not lost with the ledger.
    package let marker: String

    /// Whether it says anything. Under a clock before the program was made the end cannot be judged.
    package func isInForce(at now: Timestamp) -> Bool { now >= Version.date && now < until }

    package init(id: String, until: Timestamp, marker: String) { (self.id, self.until, self.marker) = (id, until, marker) }
}

extension NewLedgerDeclaration {
    /// The section `store.new_ledger`.
    ///
    /// - Parameters:
    ///   - place: where the ledger is.
    ///   - ownFiles: the beginning of the names of the daemon's own files.
    init?(
        reading value: ConfigurationReader.Value, _ files: ConfigurationFiles, of place: FixedConfiguration.Store.Place?,
        at now: Timestamp
    ) {
        let section = value.section()
        let idValue = section.required("id")
        let until = section.required("until")
        let markerValue = section.optional("marker")
        section.done()
        var id = idValue?.filledText()
        if let text = id, AppID(text) == nil {
            idValue?.report("want 1 to 64 of a-z, 0-9, \".\", \"_\" and \"-\", have \"\(text.prefix(60))\"")
            id = nil
        }
        let end = until?.time()
        if let end, end > now.adding(milliseconds: Self.longest) {
            until?.report("want a time at most 7 days from now (\(now)): a declaration ends by itself")
        }
        var marker = markerValue?.path(files)
        switch place {
        case .file(let ledger)?:
            if markerValue == nil {
                value.report(
                    "\"marker\" is missing: a file on another volume than the ledger's, which remembers that the ledger was made"
                )
            } else if let path = marker, Self.isLost(path, with: ledger) {
                markerValue?.report(
                    "it is in the folder of the ledger, and would be lost with it: want a file on another volume")
            }
        case .postgresql(_, let folder)?: marker = marker ?? folder + "/assay.ledgers"
        case nil: break
        }
        guard let id, let end, let marker else { return nil }
        self.init(id: id, until: end, marker: marker)
    }

    /// Whether a file is in the folder of the ledger, or below it.
    private static func isLost(_ path: String, with ledger: String) -> Bool {
        func folder(of path: String) -> String {
            let path = LedgerFile.resolved(path)
            return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/"
        }
        return folder(of: path).utf8.starts(with: folder(of: ledger).utf8)
    }

    /// What is understood, for people.
    package var summary: String {
        "takes an empty ledger for a new one until \(until), once, as \(id); \(marker) remembers it"
    }
}
