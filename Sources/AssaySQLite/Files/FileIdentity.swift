#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// Which file a name leads to. No two existing files have the same device and inode.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The file at a path, behind symbolic links, with its size in bytes and how many names (hard links) it has; `nil` if there is
    /// none or it cannot be asked.
    static func look(at path: String) -> (identity: FileIdentity, size: Int64, names: Int)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (FileIdentity(status), Int64(status.st_size), Int(status.st_nlink))
    }

    /// The file behind a descriptor.
    static func look(at descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
    }
}
