import AssayAPI
import AssayCore
import AssayProtobuf
import AssayRPC

/// The header fields of a request that are of use here, and what they mean. Texts are from outside.
struct AuthorizationHeaders {
    /// The fields that a request may have. Proxies have limits of about 100.
    static let fieldLimit = 256

    private var values: [AuthorizationHeader: String] = [:]
    /// Names of the request that begin as those that Assay sets, and could be taken for them by a service, `_` in place of `-` included.
    private(set) var lookalikes: [String] = []
    /// Whether the request says that it has a body.
    private(set) var announcesBody = false

    /// - Parameter fields: all of the request, names in any case. Those of no use here are skipped.
    init(_ fields: some Sequence<(name: String, value: String)>) throws(RPCError) {
        var count = 0
        for (name, value) in fields {
            count += 1
            guard count <= Self.fieldLimit else { throw .tooManyHeaders }
            let name = Self.lowerCase(name)
            if name.utf8.starts(with: "assay-".utf8) || name.utf8.starts(with: "assay_".utf8) { lookalikes.append(name) }
            if let header = AuthorizationHeader(rawValue: name) {
                try add(header, Self.trimmed(value))
            } else if name == "transfer-encoding" {
                announcesBody = true
            } else if name == "content-length" {
                let length = Self.trimmed(value)
                announcesBody = announcesBody || !(length.isEmpty || length.utf8.allSatisfy { $0 == UInt8(ascii: "0") })
            }
        }
    }

    private mutating func add(_ header: AuthorizationHeader, _ value: String) throws(RPCError) {
        guard !value.isEmpty else { return }
        if let earlier = values[header] {
            guard header == .evidence else { throw .repeated(header) }
            try set(header, "\(earlier),\(value)")
        } else {
            try set(header, value)
        }
    }

    /// Takes the word of the proxy's configuration for it, in place of what the request says; an empty one takes that away.
    mutating func set(_ header: AuthorizationHeader, _ value: String) throws(RPCError) {
        guard value.utf8.count <= header.limit else { throw .tooLong(header) }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .malformed(header, "holds other characters than visible ASCII")
        }
        values[header] = value.isEmpty ? nil : value
    }

    private static func lowerCase(_ name: String) -> String {
        // Most names are in lower case already.
        guard name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return name }
        return String(
            decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// Without the white space that RFC 9110 §5.5 excludes from a value.
    private static func trimmed(_ value: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = Substring(value).utf8
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    // MARK: Values

    func app() throws(RPCError) -> AppID {
        guard let text = values[.app] else { throw .missing(.app) }
        guard let app = AppID(text) else { throw .malformed(.app, "must be of the form [a-z0-9._-]{1,64}") }
        return app
    }

    /// Certificates are issued by the API only.
    func purpose() throws(RPCError) -> Purpose {
        switch values[.purpose] {
        case nil, "assert": return .assert
        case "register": return .register
        default: throw .malformed(.purpose, "must be assert or register")
        }
    }

    func challenge() throws(RPCError) -> [UInt8] {
        guard let text = values[.challenge] else { throw .missing(.challenge) }
        guard let bytes = Base64.decode(eitherAlphabet: Array(text.utf8)[...]) else {
            throw .malformed(.challenge, "must be Base64")
        }
        return bytes
    }

    func contentSHA256() throws(RPCError) -> [UInt8]? {
        guard let text = values[.contentSHA256] else { return nil }
        let bytes =
            text.utf8.count == 64 ? Hex.decode(text) : Base64.decode(eitherAlphabet: Array(text.utf8)[...])
        guard let bytes, bytes.count == 32 else {
            throw .malformed(.contentSHA256, "must be 32 bytes, in hexadecimal digits or Base64")
        }
        return bytes
    }

    /// A text that is taken as the bytes it consists of; empty where it is left out.
    func text(_ header: AuthorizationHeader) -> [UInt8] { values[header].map { Array($0.utf8) } ?? [] }

    /// A proxy that joins repeated fields makes one key of two.
    func idempotencyKey() throws(RPCError) -> [UInt8] {
        let key = text(.idempotencyKey)
        guard !key.contains(UInt8(ascii: ",")) else { throw .malformed(.idempotencyKey, "must not hold a comma") }
        return key
    }

    /// The pieces, each as serialised `assay.v1.Evidence`. How many there may be, and of which kinds, is the method's to say.
    func evidence() throws(RPCError) -> [[UInt8]] {
        guard let text = values[.evidence] else { throw .missing(.evidence) }
        guard let json = Self.json else { throw .unserialisable }
        let request = Array("{\"evidence\":[".utf8) + text.utf8 + Array("]}".utf8)
        let message: [UInt8]
        do throws(JSONMessageError) {
            message = try json.readRequest(request[...])
        } catch {
            throw .malformed(.evidence, "is not the JSON of evidence: \(error)")
        }
        var pieces: [[UInt8]] = []
        try message.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<AuthorizationRules>(bytes)
            while let field = try reader.next() {
                // A value that ends the list and goes on with another member is no evidence.
                guard case .bytes(5, let range) = field else {
                    throw RPCError.malformed(.evidence, "must hold evidence alone")
                }
                pieces.append(Array(bytes[range]))
            }
        }
        return pieces
    }

    private static let json = API.verify.json
}

/// For messages that are made outside, or of what is.
enum AuthorizationRules: ProtobufRules {
    static var malformed: RPCError { .undecodableMessage }
    static var dropsHighBits: Bool { true }
}
