import NIOCore

extension HTTPAnswer {
    /// The answer to a reader of a file (RFC 9110 §13.1.2).
    ///
    /// - Parameter known: the entity tags that the reader has, as `If-None-Match` names them.
    init(_ file: HTTPFile, known: String?) {
        var fields: [Field] = [("etag", file.etag)]
        fields.append(("cache-control", file.maxAge.map { "public, max-age=\($0.components.seconds)" } ?? "no-cache"))
        if file.isForEveryOrigin { fields.append(("access-control-allow-origin", "*")) }
        if file.dependsOnAccept { fields.append(("vary", "accept")) }
        if let known, Self.names(known, file.etag) {
            self.init(head: .other(status: 304, fields))
        } else {
            fields += [("content-type", file.contentType), ("x-content-type-options", "nosniff")]
            self.init(head: .other(status: 200, fields), body: ByteBuffer(bytes: file.body))
        }
    }

    /// The answer to a reader who gets no file.
    init(_ refusal: HTTPFileRefusal) {
        self = AnswerEncoder.connect(refusal.error, status: refusal.status, [("cache-control", "no-store")])
    }

    private static func names(_ known: String, _ tag: String) -> Bool {
        known.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " || $0 == "\t" }
            while item.last == " " || item.last == "\t" { item.removeLast() }
            return item == "*" || (item.hasPrefix("W/") ? item.dropFirst(2) : item) == tag
        }
    }
}
