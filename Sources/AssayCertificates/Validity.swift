package import AssayCore
import AssayEncoding

/// The period in which a certificate is valid, both ends included (RFC 5280 §4.1.2.5).
package struct Validity: Hashable, Sendable {
    package let notBefore: Timestamp
    package let notAfter: Timestamp

    package init(notBefore: Timestamp, notAfter: Timestamp) { (self.notBefore, self.notAfter) = (notBefore, notAfter) }

    /// Contains no instant.
    static let never = Validity(notBefore: .distantFuture, notAfter: .distantPast)

    init(
        from reader: inout DERReader, leniencies: CertificateLeniencies, used: inout CertificateLeniencies
    ) throws(Rejection) {
        let element = try reader.element(.sequence)
        do throws(Rejection) {
            self = try DERReader.parse(element.content, code: reader.code) { times throws(Rejection) in
                Validity(
                    notBefore: try Self.time(try times.element(), times, leniencies, &used),
                    notAfter: try Self.time(try times.element(), times, leniencies, &used))
            }
        } catch {
            guard leniencies.contains(.unreadableDates) else { throw error }
            used.insert(.unreadableDates)
            self = .never
        }
    }

    /// The length of the period, in milliseconds.
    var length: Int64 { notAfter.milliseconds(since: notBefore) }

    /// Throws `not_yet_valid`.
    ///
    /// - Parameter skew: how far clocks may differ, in milliseconds.
    package func requireStarted(at now: Timestamp, skew: Int64) throws(Rejection) {
        guard now.adding(milliseconds: skew) >= notBefore else {
            throw Rejection(.notYetValid, "valid from \(notBefore) on, now is \(now)")
        }
    }

    /// Throws `expired`.
    package func requireNotEnded(at now: Timestamp, skew: Int64) throws(Rejection) {
        guard now.adding(milliseconds: -skew) <= notAfter else {
            throw Rejection(.expired, "valid until \(notAfter), now is \(now)")
        }
    }

    /// A time by RFC 5280 §4.1.2.5, without leniency.
    static func time(_ reader: inout DERReader) throws(Rejection) -> Timestamp {
        var used: CertificateLeniencies = []
        return try time(try reader.element(), reader, [], &used)
    }

    /// UTCTime `YYMMDDHHMMSSZ` for the years 1950 to 2049, GeneralizedTime `YYYYMMDDHHMMSSZ` from 2050 on.
    private static func time(
        _ element: DERElement, _ reader: DERReader, _ leniencies: CertificateLeniencies,
        _ used: inout CertificateLeniencies
    ) throws(Rejection) -> Timestamp {
        let yearDigits: Int
        switch element.tag {
        case .utcTime: yearDigits = 2
        case .generalizedTime: yearDigits = 4
        default: throw reader.rejection("a time of tag \(element.tag)")
        }
        var digits = element.content
        guard digits.popLast() == UInt8(ascii: "Z"), digits.count == yearDigits + 10 else {
            throw reader.rejection("a time that is not in UTC to the second")
        }
        var year = try number(&digits, yearDigits, reader)
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        if yearDigits == 4, year < 2050 {
            guard leniencies.contains(.generalizedTimeBefore2050) else {
                throw reader.rejection("GeneralizedTime for a year before 2050")
            }
            used.insert(.generalizedTimeBefore2050)
        }
        let (month, day) = (try number(&digits, 2, reader), try number(&digits, 2, reader))
        let (hour, minute, second) = (
            try number(&digits, 2, reader), try number(&digits, 2, reader), try number(&digits, 2, reader)
        )
        guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60 else {
            throw reader.rejection("no such day or time of day")
        }
        return Timestamp(unixSeconds: date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(
        _ digits: inout ArraySlice<UInt8>, _ count: Int, _ reader: DERReader
    ) throws(Rejection) -> Int64 {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digits.popFirst(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
                throw reader.rejection("a time with something other than digits")
            }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
