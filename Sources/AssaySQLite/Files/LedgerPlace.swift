import AssayCore

/// Where a ledger lies, and which file it is: the one that was there when it was opened first.
struct LedgerPlace: Sendable {
    /// As it was given.
    let path: String
    /// Without symbolic links. SQLite names the files beside it after this.
    let resolved: String
    private let identity: FileIdentity

    /// The file must exist.
    init(_ path: String) throws(LedgerError) {
        guard let found = FileIdentity.look(at: path) else { throw .unavailable("\(path) cannot be looked at") }
        guard found.names == 1 else {
            throw .unavailable(
                "\(path) has \(found.names) names (hard links): under another one it could have another owner and another log; copy "
                    + "the file in place of linking it")
        }
        self.path = path
        resolved = LedgerFile.resolved(path)
        identity = found.identity
    }

    /// What became of the file, if it is not the one that was opened.
    var fault: String? {
        guard let found = FileIdentity.look(at: path) else { return "\(path) is no longer there" }
        return found.identity == identity ? nil : "\(path) is another file than the one that was opened"
    }
}

/// The files that one connection has open: the ledger, the log and the log's index beside it. As long as the connection is open,
/// SQLite neither removes nor exchanges any of them.
struct OpenFiles: Sendable {
    enum Fault: Hashable, Sendable {
        /// The ledger itself. Nothing can be kept; it may come back.
        case ledger(String)
        /// A file beside it. `logIsElsewhere`: at the log's name there is another file that is not empty.
        case beside(String, logIsElsewhere: Bool)
        /// The mark of the owner. Another process may have the ledger open: its log is left as it is.
        case owner(String)
    }

    private let place: LedgerPlace
    private let log: String
    private let index: String
    private let lock: String
    private let logIdentity: FileIdentity
    private let indexIdentity: FileIdentity
    /// `nil` where the ledger was opened without its lock.
    private let lockIdentity: FileIdentity?

    /// Looks at the files of a connection that was opened just now. `nil` if one of them is missing.
    init?(_ place: LedgerPlace) {
        self.place = place
        (log, index, lock) = (place.resolved + "-wal", place.resolved + "-shm", place.resolved + LedgerLock.suffix)
        guard let log = FileIdentity.look(at: log), let index = FileIdentity.look(at: index) else { return nil }
        (logIdentity, indexIdentity) = (log.identity, index.identity)
        lockIdentity = FileIdentity.look(at: lock)?.identity
    }

    /// Four calls of stat(2): about a microsecond each.
    var fault: Fault? {
        if let fault = place.fault { return .ledger(fault) }
        let (log, index) = (FileIdentity.look(at: log), FileIdentity.look(at: index))
        if log?.identity != logIdentity {
            // An empty one may be ours: a connection that was opened since makes it.
            let isElsewhere = (log?.size ?? 0) > 0
            return .beside(
                isElsewhere ? "\(self.log) is another file than the one in use" : "\(self.log) was removed",
                logIsElsewhere: isElsewhere)
        }
        if index?.identity != indexIdentity {
            return .beside("\(self.index) was removed or exchanged", logIsElsewhere: false)
        }
        if let lockIdentity, FileIdentity.look(at: lock)?.identity != lockIdentity {
            return .owner("\(lock) was removed or exchanged: another process may own the ledger")
        }
        return nil
    }
}
