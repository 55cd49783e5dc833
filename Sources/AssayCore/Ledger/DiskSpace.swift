#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The space of a file system.
package struct DiskSpace: Hashable, Sendable {
    /// The bytes that the daemon can still write.
    package let free: UInt64
    /// The size of the file system, in bytes.
    package let capacity: UInt64

    package init(free: UInt64, capacity: UInt64) { (self.free, self.capacity) = (free, capacity) }

    /// That of the file system with a file or folder; `nil` if the system does not tell (statvfs(3)).
    package init?(at path: String) {
        var answer = statvfs()
        guard statvfs(path, &answer) == 0 else { return nil }
        let block = UInt64(answer.f_frsize)
        let (free, freeOverflows) = UInt64(answer.f_bavail).multipliedReportingOverflow(by: block)
        let (capacity, capacityOverflows) = UInt64(answer.f_blocks).multipliedReportingOverflow(by: block)
        guard !freeOverflows, !capacityOverflows else { return nil }
        self.init(free: free, capacity: capacity)
    }
}
