/// The protocol that a call is made in, which its content type names, and the form of its messages.
enum CallFormat: Hashable, Sendable {
    case grpc
    case grpcWeb
    /// ``grpcWeb`` in Base64, for browsers that read text alone.
    case grpcWebText
    /// One message each way, as the bodies themselves.
    case connect(MessageCodec)
    case connectStream(MessageCodec)

    /// Parameters are cut off. Nil for a type that no protocol has: it is answered 415.
    init?(contentType: String) {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var name = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
        while name.last.map(isSpace) == true { name.removeLast() }
        let lowerCase = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let format = Self.contentTypes.first(where: { $0.name.utf8.elementsEqual(lowerCase) })?.format else { return nil }
        self = format
    }

    /// The content type of the answers. An error of ``connect(_:)`` is JSON in both of its codecs.
    var contentType: String {
        switch self {
        case .grpc: "application/grpc"
        case .grpcWeb: "application/grpc-web+proto"
        case .grpcWebText: "application/grpc-web-text+proto"
        case .connect(.protobuf): "application/proto"
        case .connect(.json): "application/json"
        case .connectStream(.protobuf): "application/connect+proto"
        case .connectStream(.json): "application/connect+json"
        }
    }

    /// Whether messages are in an ``Envelope``.
    var isEnveloped: Bool {
        switch self {
        case .grpc, .grpcWeb, .grpcWebText, .connectStream: true
        case .connect: false
        }
    }

    private static let contentTypes: [(name: String, format: CallFormat)] = [
        ("application/grpc", .grpc), ("application/grpc+proto", .grpc),
        ("application/grpc-web", .grpcWeb), ("application/grpc-web+proto", .grpcWeb),
        ("application/grpc-web-text", .grpcWebText), ("application/grpc-web-text+proto", .grpcWebText),
        ("application/proto", .connect(.protobuf)), ("application/json", .connect(.json)),
        ("application/connect+proto", .connectStream(.protobuf)), ("application/connect+json", .connectStream(.json)),
    ]
}
