import AssayCore

/// Three bits that the developer sets on a device, which survive its reset (Play Integrity, "Device recall").
struct DeviceRecall {
    struct Bit {
        /// The name in the token: `bitFirst`, `bitSecond`, `bitThird`.
        let name: String
        /// The name in our claims: `first`, `second`, `third`.
        let claim: String
        let isSet: Bool
        /// Year and month (UTC) in which it was set, as 202505; `nil` if it is not set.
        let writeDate: Int64?
    }

    static let names = ["bitFirst", "bitSecond", "bitThird"]

    let bits: [Bit]

    /// `nil` if the bits are not available: the object is absent or empty.
    init?(_ fields: JSONFields?) throws(Rejection) {
        guard let values = try fields?.section("values"), !values.object.members.isEmpty else { return nil }
        let dates = try fields?.section("writeDates")
        var bits: [Bit] = []
        for name in Self.names {
            let ordinal = String(name.dropFirst("bit".count))
            bits.append(
                Bit(
                    name: name, claim: ordinal.lowercased(), isSet: try values.boolean(name) ?? false,
                    writeDate: try dates?.integer("yyyymm" + ordinal)))
        }
        self.bits = bits
    }
}
