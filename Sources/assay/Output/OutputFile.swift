import ArgumentParser
import AssayCore
import Foundation

/// Writes files whole: a reader sees all of the content or none of it, also after a failure.
enum OutputFile {
    /// What happens to a file that stands there already.
    enum Existing { case replace, keep }

    /// Exit status 65 if the file cannot be written, or is to be kept.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644, existing: Existing = .replace) throws {
        let new = "\(path).\(Hex.encode(SecureRandom.bytes(4)))"
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw failure(path) }
        defer { unlink(new) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
        } catch {
            throw Console.unreadable("\(path) cannot be written: \(error.localizedDescription)")
        }
        let isPlaced =
            switch existing {
            case .replace: rename(new, path) == 0
            case .keep: link(new, path) == 0
            }
        guard isPlaced else { throw failure(path) }
    }

    static func write(_ text: String, to path: String, mode: mode_t = 0o644, existing: Existing = .replace) throws {
        try write(Array(text.utf8), to: path, mode: mode, existing: existing)
    }

    private static func failure(_ path: String) -> ExitCode {
        Console.unreadable("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
