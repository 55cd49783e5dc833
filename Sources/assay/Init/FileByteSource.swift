import AssayInstallation
import Foundation

/// A file as the readers of packages take it.
final class FileByteSource: ByteSource {
    let count: Int
    private let descriptor: Int32

    init(_ path: String) throws(SignerFileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let why = errno == ENOENT ? "there is no such file" : String(cString: strerror(errno))
            throw .unreadable("cannot be read: \(why)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable("cannot be read: it is not a regular file")
        }
        count = Int(status.st_size)
    }

    deinit { close(descriptor) }

    func read(_ range: Range<Int>) throws(SignerFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, off_t(range.lowerBound + done))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else {
                throw .unreadable("cannot be read: " + (got == 0 ? "it became shorter" : String(cString: strerror(errno))))
            }
            done += got
        }
        return bytes
    }
}
