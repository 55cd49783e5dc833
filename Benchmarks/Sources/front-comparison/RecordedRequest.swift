import SwiftProtobuf

/// A request as it is sent over each protocol.
struct RecordedRequest: Sendable {
    /// What it is, for the counts.
    let kind: String
    let method: ComparedMethod
    /// Serialised.
    let message: [UInt8]
    /// How the caller of Connect sends it.
    var form = Form.json
    /// Sent in a header field over HTTP, in place of the field of the message.
    var idempotencyKey: (field: String, messageWithout: [UInt8])?

    enum Form: Sendable {
        /// As the JSON of the message.
        case json
        /// As protobuf: no JSON states these bytes.
        case protobuf
    }

    init(_ kind: String, _ method: ComparedMethod, _ message: some Message) throws {
        (self.kind, self.method, self.message) = (kind, method, try message.serializedBytes())
    }

    /// The same again.
    init(again request: RecordedRequest) {
        (kind, method, message) = ("again: " + request.kind, request.method, request.message)
        (form, idempotencyKey) = (request.form, request.idempotencyKey)
    }

    /// - Parameter bytes: any, also those of no message.
    init(_ kind: String, _ method: ComparedMethod, bytes: [UInt8]) {
        (self.kind, self.method, message, form) = (kind, method, bytes, .protobuf)
    }

    var headerFields: [(String, String)] { idempotencyKey.map { [("idempotency-key", $0.field)] } ?? [] }
    /// The message over HTTP.
    var httpMessage: [UInt8] { idempotencyKey?.messageWithout ?? message }
}

extension [RecordedRequest] {
    /// How many there are of each kind, in the order of the kinds.
    var kinds: [(String, Int)] {
        Dictionary(grouping: self, by: \.kind).map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
    }
}
