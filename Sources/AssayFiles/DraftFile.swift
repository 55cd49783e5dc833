#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written under another name, `NAME.part`, and gets its own when it is whole. It never replaces a file, and only its owner
/// can read it.
///
/// The draft is locked (flock(2)) while it is written, and removed with the object. What a killed process leaves is used again by the next
/// one.
package final class DraftFile {
    /// Where to write it.
    package let path: String
    private let target: String
    private let descriptor: Int32

    /// Makes the empty draft. Throws `.exists` if the target exists.
    package init(of target: String) throws(NewFileError) {
        (self.target, path) = (target, target + ".part")
        var status = stat()
        guard lstat(target, &status) != 0 else { throw .exists }
        descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed("cannot be made: \(NewFile.lastError())") }
        do throws(NewFileError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw .failed(
                    errno == EWOULDBLOCK ? "is being written by another process" : "cannot be locked: \(NewFile.lastError())")
            }
            // The process before may have finished and removed it since it was opened.
            var (opened, named) = (stat(), stat())
            guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            else { throw .failed("was written by another process just now") }
            // A file that another user made, or could open, is still open there.
            guard opened.st_mode & S_IFMT == S_IFREG, opened.st_nlink == 1, opened.st_uid == geteuid(),
                opened.st_mode & 0o077 == 0, ftruncate(descriptor, 0) == 0
            else { throw .failed("cannot be written: \(path) is not a file of this user alone; remove it") }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Names the whole file durably. Throws `.exists` if another file has got the name meanwhile.
    package func publish() throws(NewFileError) { try NewFile.publish(descriptor, path, as: target) }

    deinit {
        // After `publish` the name may be another process's draft.
        var (opened, named) = (stat(), stat())
        if fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino { unlink(path) }
        close(descriptor)
    }
}
