/// The form of a call's messages.
enum MessageCodec: Hashable, Sendable {
    case protobuf
    case json
}
