import AssayCore

/// The file of the last good copy of a list: one line about the list, then its text as received.
///
///     assay-feed 1 <as of, ms since 1970> <ETag in hexadecimal, or ->
struct CachedFeed: Hashable {
    let text: [UInt8]
    let asOf: Timestamp
    let eTag: String?

    private static let headLimit = 4096

    init(text: [UInt8], asOf: Timestamp, eTag: String?) { (self.text, self.asOf, self.eTag) = (text, asOf, eTag) }

    /// `nil` unless `file` made the bytes.
    init?(file: [UInt8]) {
        guard let end = file.prefix(Self.headLimit).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: file[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 4, words[0] == "assay-feed", words[1] == "1", let time = Int64(words[2]) else { return nil }
        let eTag = words[3] == "-" ? nil : Hex.decode(String(words[3])).map { String(decoding: $0, as: UTF8.self) }
        guard eTag != nil || words[3] == "-" else { return nil }
        self.init(text: Array(file[(end + 1)...]), asOf: Timestamp(unixMilliseconds: time), eTag: eTag)
    }

    var file: [UInt8] {
        let tag = eTag.map { Hex.encode(Array($0.utf8)) } ?? "-"
        return Array("assay-feed 1 \(asOf.unixMilliseconds) \(tag.isEmpty ? "-" : tag)\n".utf8) + text
    }
}
