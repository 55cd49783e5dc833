import Foundation

/// What only one of the tests of this machine uses at a time, such as a port, told to all of them: by a Unix socket of that name that has no
/// file (unix(7), abstract names). The kernel gives up the claim when the process ends, however it ends. `dev/free_ports.py` makes the same.
package enum MachineClaim {
    /// Claims it until this process ends.
    ///
    /// - Parameter name: at most 100 bytes.
    /// - Returns: whether no other test has it.
    package static func take(_ name: String) -> Bool {
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte.
        let bytes = ([0] + Array("assay-test-\(name)".utf8)).prefix(MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + bytes.count)
        let isTaken = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) == 0 }
        }
        if !isTaken { close(file) }
        return isTaken
    }
}
