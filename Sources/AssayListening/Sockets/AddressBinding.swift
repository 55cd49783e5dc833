import AssayRPC
import NIOCore

/// Binds the addresses of servers, the framed one and others. What fails names the address.
enum AddressBinding {
    /// Makes a Unix socket's file, with a descriptor that is bound to it.
    static func claim(
        _ address: RPCAddress, _ path: String, _ mode: UInt16
    ) throws(RPCBindError) -> (UnixSocketFile, Int32) {
        do throws(RPCBindError.Problem) {
            return try UnixSocketFile.claim(path, mode: mode)
        } catch {
            throw RPCBindError(address, error)
        }
    }

    /// Runs `bind`.
    static func bound(
        _ address: RPCAddress, _ bind: () async throws -> any Channel
    ) async throws(RPCBindError) -> any Channel {
        do {
            return try await bind()
        } catch let error as IOError {
            throw RPCBindError(address, .init(errno: error.errnoCode, error.description))
        } catch let problem as RPCBindError.Problem {
            throw RPCBindError(address, problem)
        } catch {
            throw RPCBindError(address, .unavailable("\(error)"))
        }
    }
}
