package import AssayCore
package import AssayVendors

/// The answer of Apple's DeviceCheck service about a token. Its texts vary, so the status counts first and the text second.
package enum DeviceCheckAnswer: Hashable, Sendable {
    case bits(DeviceBits)
    /// 400: the bytes are not a token, or the token is no longer valid.
    case tokenRefused
    /// 400, 401, 403: it refuses the credentials, or a token of the other environment.
    case askerRefused(status: Int)
    /// Every other answer: nothing is known, and the device does not count as clean.
    case nothing(status: Int)

    package init(_ answer: VendorAnswer) {
        let text = (answer.text ?? "").lowercased()
        switch answer.status {
        case 200: self = Self.bits(answer.body, text).map(DeviceCheckAnswer.bits) ?? .nothing(status: 200)
        // First: "Missing or badly formatted authorization token" may be about a token of the other environment.
        case 400 where text.contains("authorization"): self = .askerRefused(status: 400)
        case 400 where text.contains("device token"): self = .tokenRefused
        case 401, 403: self = .askerRefused(status: answer.status)
        default: self = .nothing(status: answer.status)
        }
    }

    /// A page of a proxy may contain any words: a text that begins like a page is not Apple's.
    private static func bits(_ body: [UInt8], _ text: String) -> DeviceBits? {
        if let bits = try? bits(parsing: body) { return bits }
        let isUnset = text.contains("failed to find bit state") || text.contains("bit state not found")
        return isUnset && text.first { !$0.isWhitespace } != "<" ? .neverSet : nil  // not text from outside
    }

    private static func bits(parsing body: [UInt8]) throws(Rejection) -> DeviceBits? {
        let fields = try JSONFields(parsing: body[...], code: .malformedToken)
        guard let bit0 = try fields.boolean("bit0"), let bit1 = try fields.boolean("bit1") else { return nil }
        let month = try fields.text("last_update_time")
        return .set(bit0, bit1, lastSetIn: month.flatMap { DeviceBits.isMonth($0) ? $0 : nil })
    }
}

extension DeviceCheckAnswer {
    /// Why nothing is known, for people.
    var problem: String {
        switch self {
        case .bits, .tokenRefused: "the answer is known"
        case .askerRefused(let status):
            "Apple does not take the token of the team, or the device's is of the other environment (status \(status))"
        case .nothing(200): "what answered is not Apple's service (status 200)"
        case .nothing(let status): "Apple's service has no answer now (status \(status))"
        }
    }
}

/// The two bits that Apple keeps for a developer about a device. They survive reinstalling, and the developer defines their
/// meaning.
package enum DeviceBits: Hashable, Sendable {
    /// The device is known and its bits were never set.
    case neverSet
    /// `lastSetIn`: the month in which they were last set, `YYYY-MM`; `nil` if Apple does not state it.
    case set(_ bit0: Bool, _ bit1: Bool, lastSetIn: String?)

    /// The statements that the verifier knows.
    package var claims: Claims {
        var claims = Claims()
        switch self {
        case .neverSet: claims.add("bits_set", .boolean(false))
        case .set(let bit0, let bit1, let lastSetIn):
            claims.add("bits_set", .boolean(true))
            claims.add("bit0", .boolean(bit0))
            claims.add("bit1", .boolean(bit1))
            claims.add("bits_last_set", lastSetIn.map { .text($0) })
        }
        return claims
    }

    /// `YYYY-MM`.
    static func isMonth(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let year = Int64(parts[0]), let month = Int64(parts[1])
        else { return false }
        return CivilDate(year: year, month: month, day: 1) != nil
    }
}
