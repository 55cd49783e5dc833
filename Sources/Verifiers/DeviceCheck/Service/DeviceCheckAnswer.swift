package import AssayCore
package import AssayVendors

/// The answer of Apple's DeviceCheck service about a token. Its texts vary, so the status counts first and the text second.
package enum DeviceCheckAnswer: Hashable, Sendable {
    case bits(DeviceBitsAnswer)
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
    private static func bits(_ body: [UInt8], _ text: String) -> DeviceBitsAnswer? {
        if let bits = try? bits(parsing: body) { return .set(bits) }
        let isUnset = text.contains("failed to find bit state") || text.contains("bit state not found")
        return isUnset && text.first { !$0.isWhitespace } != "<" ? .neverSet : nil
    }

    private static func bits(parsing body: [UInt8]) throws(Rejection) -> DeviceBits? {
        let fields = try JSONFields(parsing: body[...], code: .malformedToken)
        guard let bit0 = try fields.boolean("bit0"), let bit1 = try fields.boolean("bit1") else { return nil }
        let month = try fields.text("last_update_time")
        return DeviceBits(bit0: bit0, bit1: bit1, lastSetIn: month.flatMap { DeviceBitsAnswer.isMonth($0) ? $0 : nil })
    }
}

extension DeviceCheckAnswer {
    /// Why nothing is known, for people; `nil` if the answer is known.
    var problem: String? {
        switch self {
        case .bits, .tokenRefused: nil
        case .askerRefused(let status):
            "Apple does not take the token of the team, or the device's is of the other environment (status \(status))"
        case .nothing(200): "what answered is not Apple's service (status 200)"
        case .nothing(let status): "Apple's service has no answer now (status \(status))"
        }
    }
}
