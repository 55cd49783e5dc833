import AssayService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DiskSpace {
    /// The room of the file system that holds a file; `nil` if it cannot be asked.
    init?(holding path: String) {
        var answer = statvfs()
        guard statvfs(path, &answer) == 0 else { return nil }
        let block = UInt64(answer.f_frsize)
        let (free, freeOverflows) = UInt64(answer.f_bavail).multipliedReportingOverflow(by: block)
        let (capacity, capacityOverflows) = UInt64(answer.f_blocks).multipliedReportingOverflow(by: block)
        guard !freeOverflows, !capacityOverflows else { return nil }
        self.init(free: free, capacity: capacity)
    }
}
