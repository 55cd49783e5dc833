import AssayRPC

/// The form in which a call came, and in which it is answered.
enum CallForm: UInt8, Sendable {
    case grpc, grpcWeb, grpcWebText
    case connectProtobuf, connectJSON
    case connectStreamProtobuf, connectStreamJSON
    /// Envoy's ext_authz, by gRPC.
    case envoy
    /// The sub-request of a proxy.
    case subrequest

    init(_ format: CallFormat) {
        switch format {
        case .grpc: self = .grpc
        case .grpcWeb: self = .grpcWeb
        case .grpcWebText: self = .grpcWebText
        case .connect(.protobuf): self = .connectProtobuf
        case .connect(.json): self = .connectJSON
        case .connectStream(.protobuf): self = .connectStreamProtobuf
        case .connectStream(.json): self = .connectStreamJSON
        }
    }

    /// The format of its messages; a sub-request has none.
    var format: CallFormat? {
        switch self {
        case .grpc, .envoy: .grpc
        case .grpcWeb: .grpcWeb
        case .grpcWebText: .grpcWebText
        case .connectProtobuf: .connect(.protobuf)
        case .connectJSON: .connect(.json)
        case .connectStreamProtobuf: .connectStream(.protobuf)
        case .connectStreamJSON: .connectStream(.json)
        case .subrequest: nil
        }
    }

    var isJSON: Bool { self == .connectJSON || self == .connectStreamJSON }
}

/// The number of a call, from which every thread can tell how it is answered: 32 bits for the exchange, 16 for the method, 8 for the form.
struct CallNumber: Hashable, Sendable {
    let raw: UInt64

    init(raw: UInt64) { self.raw = raw }

    /// - Parameters:
    ///   - exchange: the request, among those of its connection.
    ///   - method: its number in the service.
    init(exchange: UInt32, method: Int, form: CallForm) {
        raw = UInt64(exchange) << 32 | UInt64(UInt16(truncatingIfNeeded: method)) << 16 | UInt64(form.rawValue) << 8
    }

    var exchange: UInt32 { UInt32(truncatingIfNeeded: raw >> 32) }
    var method: Int { Int(UInt16(truncatingIfNeeded: raw >> 16)) }
    var form: CallForm { CallForm(rawValue: UInt8(truncatingIfNeeded: raw >> 8)) ?? .grpc }
}
