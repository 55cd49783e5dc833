/// The simulator could not fulfil a request. These errors do not concern evidence.
public enum SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A saved authority or key is not in the simulator's format.
    case unreadable(String)
    /// The bytes are not a private key of the curve.
    case invalidKey
    /// The library could not sign.
    case signing(String)
    /// The key has signed 2^32 - 1 assertions.
    case counterExhausted

    public var description: String {
        switch self {
        case .unreadable(let why): "not readable: \(why)"
        case .invalidKey: "not a private key of this curve"
        case .signing(let why): "signing failed: \(why)"
        case .counterExhausted: "the key's counter is at its end"
        }
    }
}
