import AssayCore
import Foundation

/// The destination of an export.
struct AuditExportTarget {
    private let handle: FileHandle
    private let isFile: Bool
    /// The chain after the existing lines; `nil` for a new export.
    let chain: AuditChain?

    /// - Parameters:
    ///   - path: a file; `nil`: standard output.
    ///   - resume: append to the file. Otherwise the file must not exist: exports are never overwritten.
    init(_ path: String?, resume: Bool) throws {
        guard let path else {
            (handle, isFile, chain) = (.standardOutput, false, nil)
            return
        }
        isFile = true
        let descriptor = open(path, resume ? O_RDWR | O_CLOEXEC : O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let why = errno == EEXIST ? "it is there already; add to it with --resume" : String(cString: strerror(errno))
            throw LineReader.Failure(description: "\(path) cannot be written: \(why)")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        chain = resume ? try Self.end(of: handle, path) : nil
    }

    /// Removes an incomplete last line, and returns the chain after the last complete one.
    private static func end(of handle: FileHandle, _ path: String) throws -> AuditChain? {
        let size = try handle.seekToEnd()
        let window = min(size, UInt64(2 * LineReader.lineLimit))
        try handle.seek(toOffset: size - window)
        let tail = try handle.read(upToCount: Int(window)) ?? Data()
        guard let end = tail.lastIndex(of: UInt8(ascii: "\n")) else {
            // Only an incomplete first line of an export is removed, never another file's content.
            guard size == window, AuditExportLine.mayBegin(with: tail) else {
                throw LineReader.Failure(description: "\(path) holds no export of the audit log")
            }
            try handle.truncate(atOffset: 0)
            return nil
        }
        let last = tail[..<end].split(separator: UInt8(ascii: "\n")).last ?? Data()
        guard let line = AuditExportLine(String(decoding: last, as: UTF8.self)) else {
            throw LineReader.Failure(description: "the last line of \(path) is not of an export of the audit log")
        }
        try handle.truncate(atOffset: size - window + UInt64(end - tail.startIndex) + 1)
        try handle.seekToEnd()
        return line.chain
    }

    func write(_ lines: [AuditExportLine]) throws {
        let text = lines.map { Console.text(json: $0.json) + "\n" }.joined()
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// When this returns, the file is on disk.
    func finish() throws {
        if isFile { try handle.synchronize() }
    }
}
