package import AssayCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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

/// The file of a cached list. It is renamed into place after it was synced, so that a crash leaves the earlier copy.
enum CachedFeedFile {
    /// `nil` if there is none, it cannot be read or is not a regular file, or it is larger than a list may be.
    static func read(_ path: String) -> [UInt8]? {
        // A pipe without a writer would block for as long as it has none.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let limit = RevocationSnapshot.sizeLimit + 8192
        guard let data = try? handle.read(upToCount: limit + 1), data.count <= limit else { return nil }
        return Array(data)
    }

    static func write(_ bytes: [UInt8], to path: String) throws(CachedFeedFileError) {
        let draft = path + ".new"
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: draft))
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
            try handle.synchronize()
            try handle.close()
        } catch {
            throw CachedFeedFileError("\(draft) cannot be written: \(error.localizedDescription)")
        }
        guard rename(draft, path) == 0 else { throw CachedFeedFileError("\(path) cannot be replaced") }
    }
}

struct CachedFeedFileError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// How long an answer of a feed is cached before the next request (RFC 9111 §4.2): `max-age` of Cache-Control, minus the Age of
/// the answer.
package struct CacheRule {
    /// The longest accepted age, in seconds: a year.
    private static let longestAge: Int64 = 31_536_000

    /// The time at which the content was the latest.
    package let asOf: Timestamp
    package let askAgainAt: Timestamp

    /// - Parameters:
    ///   - bounds: the shortest and longest wait in milliseconds, whatever the answer says.
    package init(_ headers: VendorAnswer.Headers, at now: Timestamp, bounds: ClosedRange<Int64>) {
        // An age that is not a number of seconds, or longer than a year, is ignored.
        let age = headers.age.flatMap { Int64($0) }.flatMap { (0...Self.longestAge).contains($0) ? $0 * 1000 : nil } ?? 0
        asOf = now.adding(milliseconds: -age)
        let wait = Self.maxAge(headers.cacheControl).map { $0 - age } ?? bounds.lowerBound
        askAgainAt = now.adding(milliseconds: min(max(wait, bounds.lowerBound), bounds.upperBound))
    }

    /// In milliseconds; `nil` if the directive is missing or not a number. `no-cache` and `no-store` are 0.
    private static func maxAge(_ header: String?) -> Int64? {
        guard let header else { return nil }
        var age: Int64?
        for directive in header.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            switch (parts.first, parts.count) {
            case ("no-cache", _), ("no-store", _): return 0
            case ("max-age", 2): age = Int64(parts[1]).map { min(max($0, 0), longestAge) * 1000 } ?? age
            default: continue
            }
        }
        return age
    }
}
