import Glibc
import Testing

@testable import AssayListening

@Suite("Files of Unix sockets")
struct UnixSocketFileTests {
    @Test("the socket file of another server at the same path is not removed")
    func foreignFile() throws {
        let path = socketPath()
        let (first, one) = try UnixSocketFile.claim(path, mode: 0o600)
        unlink(path)
        let (second, two) = try UnixSocketFile.claim(path, mode: 0o600)
        // The inode of the removed file may be used again, but not while its socket is open.
        first.remove()
        #expect(access(path, F_OK) == 0)
        second.remove()
        #expect(access(path, F_OK) != 0)
        close(one)
        close(two)
    }
}
