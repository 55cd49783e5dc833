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
        if let why = LedgerFile.otherNames(of: path) { throw .unavailable(why) }
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

/// The files that one connection has open: the ledger, the log and the log's index beside it; and the lock. As long as the
/// connection is open, SQLite neither removes nor exchanges any of them.
///
/// A class, since each commit asks it twice, and it holds many texts.
final class OpenFiles: Sendable {
    enum Fault: Hashable, Sendable {
        /// The ledger itself. Nothing can be kept; it may come back.
        case ledger(String)
        /// A file beside it. `rescuesLog`: what the log holds can be copied into the ledger's file. Not where another log is in its
        /// place, or where another process may own the ledger.
        case beside(String, rescuesLog: Bool)
    }

    private struct File {
        let path: String
        let identity: FileIdentity

        init?(_ path: String) {
            guard let found = FileIdentity.look(at: path) else { return nil }
            (self.path, identity) = (path, found.identity)
        }

        var isThere: Bool { FileIdentity.look(at: path)?.identity == identity }
    }

    private let place: LedgerPlace
    private let log: File
    private let index: File
    /// `nil` where the ledger was opened without its lock.
    private let lock: File?

    /// Looks at the files of a connection that was opened just now. `nil` if one of them is missing.
    init?(_ place: LedgerPlace) {
        func file(_ side: LedgerFile.Side) -> File? { File(place.resolved + side.rawValue) }
        guard let log = file(.log), let index = file(.index) else { return nil }
        (self.place, self.log, self.index, lock) = (place, log, index, file(.lock))
    }

    /// Four calls of stat(2): about a microsecond each.
    var fault: Fault? {
        if let fault = place.fault { return .ledger(fault) }
        if !log.isThere {
            // An empty one may be ours: a connection that was opened since makes it.
            guard let other = FileIdentity.look(at: log.path), other.size > 0 else {
                return .beside("\(log.path) was removed", rescuesLog: true)
            }
            return .beside(
                "\(log.path) is another file than the one in use; what that held and the ledger's file does not is lost",
                rescuesLog: false)
        }
        if !index.isThere { return .beside("\(index.path) was removed or exchanged", rescuesLog: true) }
        if let lock, !lock.isThere {
            return .beside("\(lock.path) was removed or exchanged: another process may own the ledger", rescuesLog: false)
        }
        return nil
    }
}
