/// An answer of HTTP/1.1, read without the server's own modules.
struct HTTP1Answer: Sendable {
    /// Bytes that are no answer.
    struct Unreadable: Error {
        let line: String
    }

    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// The value of a field; `nil` if there is none. `name` is in lower case.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The first answer in some bytes, and how many of them it has; `nil` if it is not whole.
    ///
    /// - Parameter hasEnded: nothing follows the bytes.
    static func first(in bytes: [UInt8], isToHead: Bool, _ hasEnded: Bool) throws -> (answer: HTTP1Answer, count: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n" as Character)
        let start = (lines.first ?? "").split(separator: " ")
        guard start.count >= 2, start[0] == "HTTP/1.1" || start[0] == "HTTP/1.0", let status = Int(start[1]) else {
            throw Unreadable(line: String(lines.first ?? ""))
        }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":" as Character, maxSplits: 1, omittingEmptySubsequences: false)
            return (name: parts[0].lowercased(), value: String((parts.count == 2 ? parts[1] : "").drop { $0 == " " }))
        }
        func answer(_ body: some Sequence<UInt8>, _ count: Int) -> (HTTP1Answer, Int) {
            (HTTP1Answer(status: status, fields: fields, body: Array(body)), count)
        }
        func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

        if isToHead || status < 200 || status == 204 || status == 304 { return answer([], end.upperBound) }
        if field("transfer-encoding") == "chunked" {
            return try chunks(in: bytes[end.upperBound...]).map { answer($0.body, end.upperBound + $0.count) }
        }
        if let length = field("content-length") {
            guard let length = Int(length), length >= 0 else { throw Unreadable(line: length) }
            guard bytes.count >= end.upperBound + length else { return nil }
            return answer(bytes[end.upperBound...].prefix(length), end.upperBound + length)
        }
        return hasEnded ? answer(bytes[end.upperBound...], bytes.count) : nil
    }

    /// The body in chunks, and how many bytes it takes; `nil` if the last chunk is not there. There are no trailers.
    private static func chunks(in bytes: ArraySlice<UInt8>) throws -> (body: [UInt8], count: Int)? {
        let lineEnd = Array("\r\n".utf8)
        var (body, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let end = rest.firstRange(of: lineEnd) {
            let line = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard let size = Int(line, radix: 16), size >= 0 else { throw Unreadable(line: line) }
            rest = rest[end.upperBound...]
            guard rest.count >= size + lineEnd.count else { return nil }
            body += rest.prefix(size)
            guard rest.dropFirst(size).prefix(2).elementsEqual(lineEnd) else { throw Unreadable(line: "no end of a chunk") }
            rest = rest.dropFirst(size + lineEnd.count)
            if size == 0 { return (body, rest.startIndex - bytes.startIndex) }
        }
        return nil
    }
}
