import AssayConfiguration
import AssayCore
import AssayFiles
import AssayService

/// The file that remembers which ids of `store.new_ledger` were used, so that a ledger that is lost is not taken for one that is to be
/// made. It lies elsewhere than the ledger.
///
/// An id is `begun` before the ledger is declared new, and `made` before the daemon serves. A start that is killed in between can be
/// repeated: nothing was accepted by then.
struct NewLedgerMarker {
    enum State: String { case begun, made }

    private struct Entry {
        var state: State
        let id: String
        let time: Timestamp
    }

    /// A file that is larger is none of these, in bytes. An entry has at most 96.
    private static let sizeLimit = 64 << 10

    let path: String
    private var entries: [Entry] = []

    /// Reads the file; one that does not exist has no entry.
    ///
    /// - Throws: a sentence that names the file. What cannot be read may have any id.
    init(_ path: String) throws(StartupError) {
        self.path = path
        // A volume that is not mounted is no file that was never written.
        if UnixFile(at: ProtectedFile.folder(of: path))?.kind != .folder {
            throw StartupError("the folder \(ProtectedFile.folder(of: path)) of store.new_ledger's marker does not exist")
        }
        guard UnixFile(at: path, followsLink: false) != nil else { return }
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(path, atMost: Self.sizeLimit, isRegular: true) } catch {
            throw StartupError("the file \(path) of store.new_ledger \(error)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // The last line is whole.
        guard lines.last?.isEmpty == true, lines.count > 1 else { throw Self.foreign(path) }
        for line in lines.dropLast() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, let state = State(rawValue: String(words[0])), AppID(String(words[1])) != nil,
                let time = Timestamp(rfc3339: String(words[2]))
            else { throw Self.foreign(path) }
            entries.append(Entry(state: state, id: String(words[1]), time: time))
        }
    }

    private static func foreign(_ path: String) -> StartupError {
        StartupError("the file \(path) of store.new_ledger is damaged, or another program's; what it remembered is not known")
    }

    /// What is known of an id, and since when; `nil`: it was never used.
    func use(of id: String) -> (state: State, at: Timestamp)? {
        entries.first { $0.id.hasBytes(of: id) }.map { ($0.state, $0.time) }
    }

    /// Writes durably that an id has come to a state.
    mutating func note(_ id: String, _ state: State, at now: Timestamp) throws(StartupError) {
        if let known = use(of: id), known.state == state || known.state == .made { return }
        entries.removeAll { $0.id.hasBytes(of: id) }
        entries.append(Entry(state: state, id: id, time: now))
        let text = entries.map { "\($0.state.rawValue) \($0.id) \($0.time)\n" }.joined()
        do throws(NewFileError) { try ReplacedFile.write(path, Array(text.utf8), isDurable: true) } catch {
            throw StartupError("the file \(path) of store.new_ledger \(error.description)")
        }
    }
}
