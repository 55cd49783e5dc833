#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes or replaces a file as a whole.
package enum ReplacedFile {
    /// Writes a file of mode 0600 under another name and renames it: a reader sees the old content or the new one.
    ///
    /// - Parameter isDurable: whether content and name are on the disk on return. Otherwise the file may be empty or cut after a power
    ///   failure; its reader checks that.
    package static func write(_ path: String, _ bytes: [UInt8], isDurable: Bool = false) throws(NewFileError) {
        let (draft, descriptor) = try NewFile.makeDraft(of: path, bytes, mode: 0o600)
        defer { close(descriptor) }
        guard !isDurable || fsync(descriptor) == 0 else {
            let why = NewFile.lastError()
            unlink(draft)
            throw .failed("cannot be written: \(why)")
        }
        guard rename(draft, path) == 0 else {
            let why = NewFile.lastError()
            unlink(draft)
            throw .failed("cannot be named: \(why)")
        }
        if isDurable { NewFile.syncFolder(of: path) }
    }
}
