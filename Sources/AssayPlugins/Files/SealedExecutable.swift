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
    /// The path of its ELF interpreter; `nil` for a static executable.
    package let interpreter: String?

    /// The largest executable, in bytes.
    package static let sizeLimit = 256 << 20

    /// Copies an ELF file.
    ///
    /// - Parameters:
    ///   - path: absolute, without a symbolic link on the way.
    ///   - owner: who may own the file and the folders above it, beside root; `nil`: owners and modes are not judged.
    package init(copying path: String, owner: UInt32? = geteuid()) throws(PluginFileError) {
        let source = try TrustedFile(path, owner: owner)
        guard !source.isFolder else { throw PluginFileError(path, "is a folder, and not an executable") }
        let copy = assay_memory_file("plugin")
        guard copy >= 0 else { throw PluginFileError(path, "cannot be copied to memory: \(PluginFileError.text(errno))") }
        do throws(PluginFileError) {
            (sha256, size, interpreter) = try Self.copy(source, to: copy, path)
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

    private static func copy(
        _ source: TrustedFile, to copy: CInt, _ path: String
    ) throws(PluginFileError) -> ([UInt8], Int, String?) {
        var hash = SHA256()
        var size = 0
        var header: ELFHeader?
        try source.read(path) { (chunk) throws(PluginFileError) in
            if header == nil { header = try Self.header(chunk, path) }
            size += chunk.count
            guard size <= sizeLimit else { throw PluginFileError(path, "is larger than \(sizeLimit >> 20) MiB") }
            hash.update(data: chunk)
            try FileWriting.write(chunk, to: copy, path)
        }
        guard size > 0 else { throw PluginFileError(path, "is empty") }
        return (Array(hash.finalize()), size, header?.interpreter)
    }

    static func header(_ head: ArraySlice<UInt8>, _ path: String) throws(PluginFileError) -> ELFHeader {
        do throws(ELFProblem) {
            return try ELFHeader(head)
        } catch {
            guard error == .script else { throw PluginFileError(path, error.text) }
            throw PluginFileError(
                path,
                "is a script: name its interpreter as the command and the script as an argument, such as /usr/bin/python3 -I -B \(path)"
            )
        }
    }
}

enum FileWriting {
    /// Writes all of the bytes.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt, _ path: String) throws(PluginFileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw PluginFileError(path, "cannot be copied: \(PluginFileError.text(errno))") }
            rest = rest.dropFirst(count)
        }
    }
}
