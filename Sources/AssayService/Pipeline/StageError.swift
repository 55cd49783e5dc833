import AssayCore
import AssayRPC

/// Why a request's way through the stages ended early.
enum StageError: Error {
    /// The evidence, or what surrounds it, is refused: an answer. The device is that which the registry has for it.
    case refused(Rejection, check: String, device: Device? = nil)
    /// Nothing can be said: an RPC error. Nothing was spent.
    case failed(RPCError)
    /// Nobody waits for an answer.
    case abandoned
}
