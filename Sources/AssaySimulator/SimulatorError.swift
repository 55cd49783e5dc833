/// The simulator could not do what it was asked. Nothing here speaks of evidence.
public enum SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A saved authority or key is not what the simulator wrote.
    case unreadable(String)
    /// The bytes are no private key of the curve.
    case invalidKey
    /// The library would not sign.
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
