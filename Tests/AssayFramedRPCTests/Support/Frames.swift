import SwiftProtobuf

@testable import AssayFramedRPC
@testable import AssayRPC

typealias Frame = Assay_Rpc_V1_Frame
typealias Text = Google_Protobuf_StringValue
typealias Number = Google_Protobuf_UInt32Value
typealias Blob = Google_Protobuf_BytesValue

extension Frame {
    /// The frame as it stands on the wire, its length in front.
    var wire: [UInt8] {
        get throws { Self.wire(try serializedBytes()) }
    }

    static func wire(_ body: [UInt8]) -> [UInt8] {
        let count = UInt32(body.count)
        return [
            UInt8(truncatingIfNeeded: count >> 24), UInt8(truncatingIfNeeded: count >> 16),
            UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count),
        ] + body
    }

    static func call(
        _ id: UInt64, _ method: String, _ message: some Message = Text("hello"), timeout: UInt32 = 0,
        metadata: [String: String] = [:]
    ) throws -> Frame {
        var frame = Frame()
        frame.callID = id
        frame.call.method = method
        frame.call.message = try message.serializedBytes()
        frame.call.timeoutMs = timeout
        frame.call.metadata = metadata
        return frame
    }

    static func cancel(_ id: UInt64) -> Frame {
        var frame = Frame()
        frame.callID = id
        frame.cancel = .init()
        return frame
    }

    static var pinging: Frame {
        var frame = Frame()
        frame.ping = .init()
        return frame
    }

    // MARK: What an answer says

    /// The text of an OK reply.
    var text: String? {
        guard case .reply(let reply) = kind, !reply.hasStatus else { return nil }
        return try? Text(serializedBytes: reply.message).value
    }

    /// The status of a reply or an end; nil if it is OK or another kind of frame.
    var status: Assay_Rpc_V1_Status? {
        switch kind {
        case .reply(let reply) where reply.hasStatus: reply.status
        case .end(let end) where end.hasStatus: end.status
        default: nil
        }
    }

    var reason: String? { status?.reason }
    var code: RPCStatusCode? { status.flatMap { RPCStatusCode(rawValue: Int32($0.code)) } }

    var goAwayReason: String? {
        guard case .goAway(let goAway) = kind else { return nil }
        return goAway.reason
    }
}
