import CPluginProcess
import Crypto
import Glibc

/// A file or folder that root or the daemon's user alone can have written: itself and each folder above it belong to one of them, are not
/// writable by group or others, and no symbolic link is on the way. What is checked is the descriptor that is then read.
final class TrustedFile {
    /// Who may own what the daemon runs, beside root. `nil`: owners and modes are not judged, for a look at files of another machine.
    typealias Owner = UInt32?

    let descriptor: CInt
    let isFolder: Bool

    /// - Parameter path: absolute.
    convenience init(_ path: String, owner: Owner) throws(PluginFileError) {
        try self.init(assay_open_without_links(path), path, owner)
        if owner != nil { try Self.checkFolders(above: path, owner) }
    }

    /// - Parameter name: of a file or folder within.
    convenience init(_ name: String, in folder: TrustedFile, path: String, owner: Owner) throws(PluginFileError) {
        try self.init(assay_open_beneath(folder.descriptor, name), path, owner)
    }

    private init(_ descriptor: CInt, _ path: String, _ owner: Owner) throws(PluginFileError) {
        guard descriptor >= 0 else { throw PluginFileError(path, opening: errno) }
        do throws(PluginFileError) {
            isFolder = try Self.check(descriptor, path, owner) == S_IFDIR
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { Glibc.close(descriptor) }

    /// Reads from the beginning to the end.
    func read(_ path: String, _ body: (ArraySlice<UInt8>) throws(PluginFileError) -> Void) throws(PluginFileError) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw PluginFileError(path, "cannot be read: \(PluginFileError.text(errno))") }
            guard count > 0 else { return }
            try body(chunk.prefix(count))
        }
    }

    /// The names in a folder, in order.
    func names(_ path: String) throws(PluginFileError) -> [String] {
        let copy = assay_open_beneath(descriptor, ".")
        guard copy >= 0 else { throw PluginFileError(path, opening: errno) }
        guard let directory = fdopendir(copy) else {
            Glibc.close(copy)
            throw PluginFileError(path, "cannot be read: \(PluginFileError.text(errno))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
            guard let name = String(validating: bytes, as: UTF8.self), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                throw PluginFileError(path, "has a file whose name is not printable UTF-8: rename it")
            }
            names.append(name)
        }
        return names.sorted()
    }

    // MARK: Checks

    private static func checkFolders(above path: String, _ owner: Owner) throws(PluginFileError) {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let name = folder.isEmpty ? "/" : String(folder)
            let descriptor = assay_open_place(name)
            guard descriptor >= 0 else { throw PluginFileError(name, opening: errno) }
            defer { Glibc.close(descriptor) }
            _ = try check(descriptor, name, owner)
        }
    }

    /// The kind of what is open: a regular file or a folder.
    private static func check(_ descriptor: CInt, _ path: String, _ owner: Owner) throws(PluginFileError) -> mode_t {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PluginFileError(path, "cannot be looked at: \(PluginFileError.text(errno))")
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else { throw PluginFileError(path, "is neither a regular file nor a folder") }
        guard let owner else { return kind }
        guard status.st_uid == 0 || status.st_uid == owner else {
            let whose = owner == 0 ? "root" : "root or the daemon's user \(owner)"
            throw PluginFileError(
                path,
                "belongs to the user \(status.st_uid), want \(whose): chown \(owner == 0 ? "root" : String(owner)) \(path)")
        }
        // In a folder with the sticky bit, such as /tmp, others cannot exchange what is not theirs.
        let isSticky = kind == S_IFDIR && status.st_mode & S_ISVTX != 0
        guard status.st_mode & 0o022 == 0 || isSticky else {
            throw PluginFileError(
                path, "can be written by others (mode 0\(String(status.st_mode & 0o777, radix: 8))): chmod go-w \(path)")
        }
        return kind
    }
}
