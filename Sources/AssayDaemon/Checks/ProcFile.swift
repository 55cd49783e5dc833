#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The text of a file of `/proc`, whose size is not known before it is read.
enum ProcFile {
    /// A machine with a hundred thousand sockets has about this much to say of them, in bytes. The rest is not read.
    private static let limit = 32 << 20

    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The inodes of the sockets that a process has open; `nil` where this one may not know.
    static func sockets(of process: Int32) -> Set<UInt64>? {
        let folder = "/proc/\(process)/fd"
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var inodes: Set<UInt64> = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [CChar](repeating: 0, count: 64)
            let count = readlink("\(folder)/\(name)", &target, target.count)
            // "socket:[12345]"
            let text = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("socket:["), let inode = UInt64(text.dropFirst("socket:[".count).dropLast()) {
                inodes.insert(inode)
            }
        }
        return inodes
    }
}
