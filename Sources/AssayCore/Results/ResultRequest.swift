/// A signed result that a caller asks for beside its verdict.
public struct ResultRequest: Hashable, Sendable {
    /// The most results of one request.
    public static let countLimit = 4
    /// The longest audience, in bytes of UTF-8.
    public static let audienceLimit = 256
    /// A nonce has 8 to 64 bytes (draft-ietf-rats-eat §4.1).
    public static let nonceSizes = 8...64

    public var shape: ResultShape
    /// One of those that the app's configuration names for it.
    public var audience: String
    /// What the audience gave the caller so that the result is known to be new; empty: nothing.
    public var nonce: [UInt8]

    public init(shape: ResultShape, audience: String, nonce: [UInt8] = []) {
        (self.shape, self.audience, self.nonce) = (shape, audience, nonce)
    }
}
