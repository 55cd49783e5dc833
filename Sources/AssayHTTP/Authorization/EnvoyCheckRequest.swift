import AssayCore
import AssayProtobuf
import AssayRPC
import Crypto

/// The parts of a serialised `envoy.service.auth.v3.CheckRequest` that are of use here. Of a repeated field the last value counts, and repeated
/// messages are merged, as in protobuf.
struct EnvoyCheckRequest {
    /// Says whether the body that Envoy passes on is a part: `true` or `false`. Envoy takes it away from a client's request.
    private static let partialBody = "x-envoy-auth-partial-body"

    /// The numeric address of the client; `nil` for another kind of address.
    private(set) var sourceAddress: String?
    /// `context_extensions` of the filter's configuration.
    private(set) var extensions: [String: String] = [:]
    /// Fields of which Envoy has joined those of one name.
    private var headers: [String: String] = [:]
    /// Fields as they came, where the filter says `encode_raw_headers`.
    private var rawHeaders: [(name: String, value: String)] = []
    private var text = 0..<0
    /// The SHA-256 of `raw_body`, and its length; `nil` where it is empty.
    private var rawBody: (sha256: [UInt8], count: Int)?
    private var entries = 0

    /// All fields of the client's request.
    var fields: [(name: String, value: String)] { headers.map { (name: $0.key, value: $0.value) } + rawHeaders }

    /// What is known of the body, or why nothing can be said of it.
    func body() throws(RPCError) -> AuthorizationCall.Body {
        guard text.isEmpty else { throw .bodyAsText }
        let marks = Set(values(of: Self.partialBody))
        // The mark is there if the filter passes bodies on, and the request has one, which may be empty.
        if marks == ["false"] { return .whole(sha256: rawBody?.sha256 ?? SHA256.bytes(of: [])) }
        guard marks.isEmpty else { throw .partialBody }
        guard let rawBody else { return .unseen }
        guard values(of: "content-length") == ["\(rawBody.count)"] else { throw .partialBody }
        return .whole(sha256: rawBody.sha256)
    }

    private func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    // MARK: Reading

    private typealias Reader = ProtobufReader<AuthorizationRules>

    init(serialized message: [UInt8]) throws(RPCError) {
        try message.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            var reader = Reader(bytes)
            var raw = 0..<0
            while let field = try reader.next() {
                if case .bytes(1, let attributes) = field { try readAttributes(bytes, attributes, &raw) }
            }
            guard !raw.isEmpty else { return }
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[raw]))
            rawBody = (hash.finalize().withUnsafeBytes { Array($0) }, raw.count)
        }
    }

    /// `AttributeContext`: source, request, context_extensions.
    private mutating func readAttributes(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ raw: inout Range<Int>
    ) throws(RPCError) {
        var reader = Reader(bytes, range)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let source): try readSource(bytes, source)
            case .bytes(4, let request): try readRequest(bytes, request, &raw)
            case .bytes(10, let entry):
                let (key, value) = try self.entry(bytes, entry)
                extensions[key] = value
            default: continue
            }
        }
    }

    /// `Peer`, its `Address`, and of its kinds `SocketAddress`.
    private mutating func readSource(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RPCError) {
        var reader = Reader(bytes, range)
        while let field = try reader.next() {
            guard case .bytes(1, let address) = field else { continue }
            var kinds = Reader(bytes, address)
            while let kind = try kinds.next() {
                switch kind {
                case .bytes(1, let socket):
                    var parts = Reader(bytes, socket)
                    while let part = try parts.next() {
                        if case .bytes(2, let text) = part { sourceAddress = String(decoding: bytes[text], as: UTF8.self) }
                    }
                case .bytes(2, _), .bytes(3, _): sourceAddress = nil
                default: continue
                }
            }
        }
    }

    /// `Request`, and its `HttpRequest`: headers, header_map, body, raw_body.
    private mutating func readRequest(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ raw: inout Range<Int>
    ) throws(RPCError) {
        var reader = Reader(bytes, range)
        while let field = try reader.next() {
            guard case .bytes(2, let http) = field else { continue }
            var parts = Reader(bytes, http)
            while let part = try parts.next() {
                switch part {
                case .bytes(3, let entry):
                    let (key, value) = try self.entry(bytes, entry)
                    headers[key] = value
                case .bytes(11, let body): text = body
                case .bytes(12, let body): raw = body
                case .bytes(13, let map):
                    var list = Reader(bytes, map)
                    while let header = try list.next() {
                        guard case .bytes(1, let entry) = header else { continue }
                        let (key, value) = try self.entry(bytes, entry)
                        rawHeaders.append((name: key, value: value))
                    }
                default: continue
                }
            }
        }
    }

    /// An entry of a map, or a `HeaderValue`, which has its bytes in field 3 where it has no text in field 2. Bytes that are not UTF-8 are
    /// replaced; no value that is read has others than ASCII.
    private mutating func entry(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RPCError) -> (key: String, value: String) {
        entries += 1
        guard entries <= 2 * AuthorizationHeaders.fieldLimit else { throw .tooManyHeaders }
        var (key, value, rawValue) = (0..<0, 0..<0, 0..<0)
        var reader = Reader(bytes, range)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let text): key = text
            case .bytes(2, let text): value = text
            case .bytes(3, let text): rawValue = text
            default: continue
            }
        }
        let shown = value.isEmpty ? rawValue : value
        return (String(decoding: bytes[key], as: UTF8.self), String(decoding: bytes[shown], as: UTF8.self))
    }
}
