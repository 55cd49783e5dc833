import ArgumentParser
import AssayAPI
import SwiftProtobuf

/// The protocol over which a load is sent.
enum LoadFront: String, CaseIterable, ExpressibleByArgument, Sendable {
    case framed
    /// gRPC over HTTP/2 without TLS.
    case grpc
    /// Connect's JSON over HTTP/2 without TLS.
    case json

    var isHTTP: Bool { self != .framed }

    func connect(to address: String) throws -> any BurstConnection {
        isHTTP ? try HTTP2Connection(address) : try PlainConnection(address)
    }

    /// Makes the bytes of the calls of one connection, in the order in which they are sent.
    func encoder(for address: String) -> any BurstEncoder {
        switch self {
        case .framed: PlainFrame.Encoder()
        case .grpc: HTTP2Encoder(authority: address, isJSON: false)
        case .json: HTTP2Encoder(authority: address, isJSON: true)
        }
    }

    /// The message in a reply, serialised; `nil` if it has none.
    func answer(_ reply: [UInt8]) -> [UInt8]? {
        switch self {
        case .framed: return PlainFrame.answer(reply)
        case .grpc:
            // Flags and length. An error has no message.
            guard reply.count > 5 else { return nil }
            return Array(reply[5...])
        case .json:
            // An error has no decision. Answers that are not verdicts are not read here.
            var options = JSONDecodingOptions()
            options.ignoreUnknownFields = true
            return try? Assay_V1_Verdict(jsonUTF8Bytes: reply, options: options).serializedBytes()
        }
    }
}

/// A connection on which bursts of calls are sent, whose bytes were made before.
protocol BurstConnection {
    /// Sends a burst, and returns what answers its calls, unparsed and in any order.
    func exchange(_ burst: [UInt8], calls: Int) throws -> [[UInt8]]
}

extension PlainConnection: BurstConnection {
    func exchange(_ burst: [UInt8], calls: Int) throws -> [[UInt8]] { try exchange(burst, frames: calls) }
}

/// Makes bursts.
protocol BurstEncoder {
    mutating func burst(_ requests: [PlainFrame.Request]) throws -> [UInt8]
}

extension PlainFrame {
    /// Numbers of calls begin again with each burst, whose calls are all answered before the next.
    struct Encoder: BurstEncoder {
        mutating func burst(_ requests: [Request]) throws -> [UInt8] {
            requests.enumerated().flatMap { PlainFrame.call(UInt64($0.offset + 1), $0.element) }
        }
    }
}
