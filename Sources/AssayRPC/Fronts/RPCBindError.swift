#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a server cannot listen at an address.
package struct RPCBindError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Error, Hashable, Sendable {
        /// Another server listens there.
        case inUse
        case permissionDenied
        /// A Unix socket's path has at most 107 bytes.
        case pathTooLong
        /// The file at the socket's path is not a socket; it is left alone.
        case notASocket
        /// Anything else that the system says, such as a host that cannot be resolved or a directory that does not exist.
        case unavailable(String)
    }

    package let address: RPCAddress
    package let problem: Problem

    package init(_ address: RPCAddress, _ problem: Problem) { (self.address, self.problem) = (address, problem) }

    package var description: String {
        switch problem {
        case .inUse: "cannot listen at \(address): somebody listens there"
        case .permissionDenied: "cannot listen at \(address): permission denied"
        case .pathTooLong: "cannot listen at \(address): the path is longer than 107 bytes"
        case .notASocket: "cannot listen at \(address): a file that is not a socket stands there"
        case .unavailable(let why): "cannot listen at \(address): \(why)"
        }
    }
}

extension RPCBindError.Problem {
    /// - Parameters:
    ///   - errno: the error number of the system call.
    ///   - description: the system's text, kept for numbers without a case of their own.
    package init(errno: Int32, _ description: String) {
        switch errno {
        case EADDRINUSE: self = .inUse
        case EACCES, EPERM: self = .permissionDenied
        default: self = .unavailable(description)
        }
    }
}
