public import Foundation

/// A challenge of the daemon: 54 bytes, which the phone signs as they came and does not look into.
public struct Challenge: Hashable, Sendable, Codable {
    public static let length = 54

    public let bytes: Data

    /// None, if there are not 54 bytes.
    public init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Data(bytes)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let challenge = Self(bytes: try container.decode(Data.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "want \(Self.length) bytes")
        }
        self = challenge
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
