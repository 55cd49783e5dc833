/// Evidence as received, not parsed.
public struct Evidence: Sendable {
    public let format: EvidenceFormat
    /// The key that the caller says it belongs to: unauthenticated until a signature is verified. Empty for formats without
    /// one.
    public let keyID: [UInt8]
    private let content: Content

    private enum Content: Sendable {
        case whole([UInt8])
        /// As they came: slices of the request.
        case parts([ArraySlice<UInt8>])
    }

    /// The most parts of a body. The longest chain that is read has 8.
    public static let partLimit = 16

    /// - Parameter body: the bytes that the platform made; for evidence of several parts what `join` makes of them.
    public init(format: EvidenceFormat, keyID: [UInt8], body: [UInt8]) {
        (self.format, self.keyID, content) = (format, keyID, .whole(body))
    }

    /// Evidence of several parts. Equal to evidence whose body is `join(parts)`.
    public init(format: EvidenceFormat, keyID: [UInt8], parts: [ArraySlice<UInt8>]) {
        (self.format, self.keyID, content) = (format, keyID, .parts(parts))
    }

    /// The bytes that the platform made. Evidence that came in parts is joined at each call.
    public var body: [UInt8] {
        switch content {
        case .whole(let body): body
        case .parts(let parts): Self.join(parts)
        }
    }

    /// The length of `body`, in bytes.
    public var size: Int {
        switch content {
        case .whole(let body): body.count
        case .parts(let parts): Self.joinedSize(parts)
        }
    }

    /// The parts, each a slice; `nil` if `join` did not make the body, or there are more than `partLimit` parts.
    public var parts: [ArraySlice<UInt8>]? {
        switch content {
        case .whole(let body): Self.split(body)
        case .parts(let parts): parts.count <= Self.partLimit ? parts : nil
        }
    }

    /// SHA-256 over a tag, format, key id and body, each with its length: identifies the evidence in verdict and audit log.
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.evidence.v1")
        hash.append(format.rawValue)
        hash.append(keyID)
        switch content {
        case .whole(let body): hash.append(body)
        case .parts(let parts): hash.append(fields: parts, length: Self.joinedSize(parts))
        }
        return hash.finalize()
    }
}

/// Evidence of several parts is one body: for each part u32 length (big-endian) and its bytes.
extension Evidence {
    public static func join(_ parts: some Sequence<some Collection<UInt8>>) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            body.append(contentsOf: Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) { Array($0) })
            body.append(contentsOf: part)
        }
        return body
    }

    private static func joinedSize(_ parts: [ArraySlice<UInt8>]) -> Int { parts.reduce(0) { $0 + 4 + $1.count } }

    private static func split(_ body: [UInt8]) -> [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var rest = body[...]
        while !rest.isEmpty {
            guard rest.count >= 4, parts.count < partLimit else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts
    }
}

extension Evidence: Hashable {
    public static func == (a: Evidence, b: Evidence) -> Bool {
        guard a.format == b.format, a.keyID == b.keyID else { return false }
        return switch (a.content, b.content) {
        case (.whole(let a), .whole(let b)): a == b
        case (.parts(let a), .parts(let b)): a == b
        case (.whole, .parts), (.parts, .whole): a.size == b.size && a.body == b.body
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(format)
        hasher.combine(keyID)
        hasher.combine(size)
    }
}

/// The name of a kind of evidence, as in the vectors: `app-attest.attestation`.
public struct EvidenceFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A format by a name from outside; `nil` for one that is not of the form: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`.
    package init?(named name: some Collection<UInt8>) {
        guard (1...64).contains(name.count), name.allSatisfy(\.isOfName) else { return nil }
        self.init(rawValue: String(decoding: name, as: UTF8.self))
    }

    public var description: String { rawValue }
}
