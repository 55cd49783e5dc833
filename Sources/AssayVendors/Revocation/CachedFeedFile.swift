import AssayCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of a cached list. It is renamed into place after it was synced, so that a crash leaves the earlier copy.
enum CachedFeedFile {
    /// `nil` if there is none, it cannot be read or is not a regular file, or it is larger than a list may be.
    static func read(_ path: String) -> [UInt8]? {
        // A pipe without a writer would block for as long as it has none.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let limit = RevocationSnapshot.sizeLimit + 8192
        guard let data = try? handle.read(upToCount: limit + 1), data.count <= limit else { return nil }
        return Array(data)
    }

    static func write(_ bytes: [UInt8], to path: String) throws(CachedFeedFileError) {
        let draft = path + ".new"
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: draft))
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw CachedFeedFileError("\(draft) cannot be written: \(error.localizedDescription)")
        }
        guard rename(draft, path) == 0 else { throw CachedFeedFileError("\(path) cannot be replaced") }
    }
}

struct CachedFeedFileError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
