import AssayFiles
import AssayInstallation
import Foundation

/// A file as the readers of packages take it.
final class FileByteSource: ByteSource {
    let count: Int
    private let descriptor: Int32

    init(_ path: String) throws(SignerFileError) {
        do throws(BoundedFileError) {
            (descriptor, count) = try BoundedFile.openRegular(path)
        } catch { throw .unreadable("\(error)") }
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
                throw .unreadable(got == 0 ? "cannot be read: it became shorter" : "\(BoundedFileError(errno))")
            }
            done += got
        }
        return bytes
    }
}
