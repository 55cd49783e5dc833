#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of the running program, beside which lies what was installed with it.
package enum ProgramFile {
    /// Without links, as the kernel tells it; " (deleted)" follows if the file was replaced meanwhile. `nil` where the kernel does not tell.
    package static let path: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let count = buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
        return count > 0 ? String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self) : nil
    }
}
