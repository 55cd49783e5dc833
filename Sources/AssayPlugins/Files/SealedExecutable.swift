import CPluginProcess
import Crypto
import Glibc

/// A copy of an executable in memory that cannot be changed any more, and the digest of exactly what was copied: what was hashed is what
/// runs.
package final class SealedExecutable: Sendable {
    /// Of the memory file. Closed when the object is released.
    package let descriptor: CInt
    /// 32 bytes.
    package let sha256: [UInt8]
    /// In bytes.
    package let size: Int

    /// The largest executable, in bytes.
    package static let sizeLimit = 256 << 20

    /// Copies an ELF file.
    ///
    /// - Parameter path: absolute, without a symbolic link on the way.
    package init(copying path: String) throws(PluginFileError) {
        let source = assay_open_without_links(path)
        guard source >= 0 else { throw PluginFileError(path, opening: errno) }
        defer { Glibc.close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PluginFileError(path, "is not a regular file")
        }
        let copy = assay_memory_file("plugin")
        guard copy >= 0 else { throw PluginFileError(path, "cannot be copied to memory: \(PluginFileError.text(errno))") }
        do throws(PluginFileError) {
            (sha256, size) = try Self.copy(source, to: copy, path)
            guard assay_seal(copy) == 0 else {
                throw PluginFileError(path, "cannot be sealed in memory: \(PluginFileError.text(errno))")
            }
        } catch {
            Glibc.close(copy)
            throw error
        }
        descriptor = copy
    }

    deinit { Glibc.close(descriptor) }

    private static func copy(_ source: CInt, to copy: CInt, _ path: String) throws(PluginFileError) -> ([UInt8], Int) {
        var hash = SHA256()
        var size = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(source, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw PluginFileError(path, "cannot be read: \(PluginFileError.text(errno))") }
            guard count > 0 else { break }
            if size == 0 { try checkForm(chunk.prefix(count), path) }
            size += count
            guard size <= sizeLimit else { throw PluginFileError(path, "is larger than \(sizeLimit >> 20) MiB") }
            hash.update(data: chunk.prefix(count))
            try write(chunk.prefix(count), to: copy, path)
        }
        guard size > 0 else { throw PluginFileError(path, "is empty") }
        return (Array(hash.finalize()), size)
    }

    private static func checkForm(_ head: ArraySlice<UInt8>, _ path: String) throws(PluginFileError) {
        guard !head.starts(with: Array("#!".utf8)) else {
            throw PluginFileError(
                path,
                "is a script: name its interpreter as the command and the script as an argument, such as /usr/bin/python3 -I -B \(path)"
            )
        }
        guard head.starts(with: [0x7f] + Array("ELF".utf8)) else { throw PluginFileError(path, "is not an ELF executable") }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to copy: CInt, _ path: String) throws(PluginFileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(copy, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw PluginFileError(path, "cannot be copied to memory: \(PluginFileError.text(errno))") }
            rest = rest.dropFirst(count)
        }
    }
}

/// A file of a plugin cannot be used.
package struct PluginFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The end of a sentence that begins with the path.
    package let problem: String

    package var description: String { "\(path) \(problem)" }

    init(_ path: String, _ problem: String) { (self.path, self.problem) = (path, problem) }

    init(_ path: String, opening error: Int32) {
        switch error {
        case ELOOP: self.init(path, "has a symbolic link on its way: name the file itself")
        case EINVAL where !path.hasPrefix("/"): self.init(path, "is not an absolute path")
        default: self.init(path, "cannot be opened: \(Self.text(error))")
        }
    }

    static func text(_ error: Int32) -> String { String(cString: strerror(error)) }
}
