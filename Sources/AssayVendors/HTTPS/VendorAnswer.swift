package import AssayCore

/// A vendor's answer: bytes that only the connection authenticates.
package struct VendorAnswer: Sendable {
    /// The headers that are used.
    package struct Headers: Hashable, Sendable {
        /// Longer values count as absent, in bytes.
        static let lengthLimit = 1024

        package var cacheControl: String?
        package var eTag: String?
        package var age: String?
        package var lastModified: String?
        package var retryAfter: String?
        package var date: String?

        package init() {}
    }

    package let status: Int
    package let headers: Headers
    /// Limited by the client.
    package let body: [UInt8]

    package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension VendorAnswer {
    /// The body as text; `nil` if it is not UTF-8.
    package var text: String? { String(validating: body, as: UTF8.self) }
}

/// The wait that a service asks for (RFC 9110 §10.2.3).
extension VendorAnswer.Headers {
    /// In milliseconds, never negative; `nil` if the header is absent or unreadable.
    package func retryAfterMilliseconds(at now: Timestamp) -> Int64? {
        guard let text = retryAfter else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // A number that does not fit is a very long time.
            guard !text.isEmpty else { return nil }
            let seconds = Int64(text) ?? .max
            return seconds.multipliedReportingOverflow(by: 1000).overflow ? .max : seconds * 1000
        }
        return Timestamp(httpDate: text).map { max(0, $0.milliseconds(since: now)) }
    }
}

extension Timestamp {
    /// Reads the one date format that servers may write (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. The day's name is
    /// not compared with the date.
    package init?(httpDate text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let day = Self.number(words[1], digits: 2), let year = Self.number(words[3], digits: 4),
            let month = Self.months.firstIndex(of: String(words[2])),
            let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { Self.number($0, digits: 2) }
        guard time.count == 3, let hour = time[0], hour < 24, let minute = time[1], minute < 60, let second = time[2],
            second <= 60
        else { return nil }
        self.init(unixSeconds: ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
