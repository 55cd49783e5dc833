import AssayCore

/// The payload of a token (Play Integrity, "Integrity verdicts") as received: values of enumerations are texts, since Google
/// adds to them. All fields but the request's details can be absent, and often are for devices that are not trusted.
struct PlayPayload {
    /// The package that requested the token, by its own statement.
    let requestPackageName: String
    let nonce: String?
    let requestHash: String?
    /// When the token was made or requested, by Google's clock.
    let timestamp: Timestamp
    let app: App
    let device: Device
    let recall: DeviceRecall?
    let licensing: String?
    let accountActivity: String?
    /// `nil`: not evaluated. An empty list: evaluated, with no result.
    let appsDetected: [String]?
    let playProtect: String?
    let isTestingResponse: Bool

    struct App {
        let verdict: String?
        let packageName: String?
        /// SHA-256 of signing certificates, base64url without padding.
        let certificateDigests: [String]?
        let versionCode: Int64?
    }

    struct Device {
        /// Empty for a device without a label; Google then leaves the field out.
        let labels: [String]
        let legacyLabels: [String]?
        let sdkVersion: Int64?
        let activityLevel: String?

        func has(_ label: PlayVerdict.Device) -> Bool { labels.contains { $0.hasBytes(of: label.rawValue) } }
    }

    /// Reads `requestDetails` and the fields beside it.
    ///
    /// - Throws: The code of the fields, if one has the wrong type or the request's details are incomplete.
    init(_ root: JSONFields) throws(Rejection) {
        let request = try root.required("requestDetails", root.section("requestDetails"))
        requestPackageName = try request.required("requestPackageName", request.text("requestPackageName"))
        nonce = try request.text("nonce")
        requestHash = try request.text("requestHash")
        let time = try request.required("timestampMillis", request.integer("timestampMillis"))
        guard time >= 0 else { throw Rejection(request.code, "requestDetails.timestampMillis is negative") }
        timestamp = Timestamp(unixMilliseconds: time)

        let app = try root.section("appIntegrity")
        self.app = App(
            verdict: try app?.text("appRecognitionVerdict"), packageName: try app?.text("packageName"),
            certificateDigests: try app?.texts("certificateSha256Digest"), versionCode: try app?.integer("versionCode"))

        let device = try root.section("deviceIntegrity")
        self.device = Device(
            labels: try device?.texts("deviceRecognitionVerdict") ?? [],
            legacyLabels: try device?.texts("legacyDeviceRecognitionVerdict"),
            sdkVersion: try device?.section("deviceAttributes")?.integer("sdkVersion"),
            activityLevel: try device?.section("recentDeviceActivity")?.text("deviceActivityLevel"))
        recall = try DeviceRecall(try device?.section("deviceRecall"))

        let account = try root.section("accountDetails")
        licensing = try account?.text("appLicensingVerdict")
        accountActivity = try account?.section("accountActivity")?.text("activityLevel")

        let environment = try root.section("environmentDetails")
        appsDetected = try environment?.section("appAccessRiskVerdict")?.texts("appsDetected")
        playProtect = try environment?.text("playProtectVerdict")
        isTestingResponse = try root.section("testingDetails")?.boolean("isTestingResponse") ?? false
    }

    /// Nothing was evaluated: the device is not trusted, or Google decoded a token of a standard request before.
    var isCleared: Bool {
        device.labels.isEmpty && PlayVerdict.isUnevaluated(app.verdict) && PlayVerdict.isUnevaluated(licensing)
    }
}

extension PlayPayload {
    /// The token's fields as claims, by their names. Absent fields are not claimed.
    var claims: Claims {
        var claims = Claims()
        claims.reserveCapacity(24)
        claims.add("request_package_name", .text(requestPackageName))
        claims.add("nonce", nonce.map { .text($0) })
        claims.add("request_hash", requestHash.map { .text($0) })
        claims.add("timestamp_millis", .integer(timestamp.unixMilliseconds))
        claims.add("app_recognition_verdict", app.verdict.map { .text($0) })
        claims.add("package_name", app.packageName.map { .text($0) })
        claims.add("certificate_sha256_digest", app.certificateDigests.map { .texts($0) })
        claims.add("version_code", app.versionCode.map { .integer($0) })
        claims.add("device_recognition_verdict", .texts(device.labels))
        claims.add("legacy_device_recognition_verdict", device.legacyLabels.map { .texts($0) })
        claims.add("sdk_version", device.sdkVersion.map { .integer($0) })
        claims.add("device_activity_level", device.activityLevel.map { .text($0) })
        for bit in recall?.bits ?? [] {
            claims.add("device_recall_\(bit.claim)", .boolean(bit.isSet))
            claims.add("device_recall_\(bit.claim)_written", bit.writeDate.map { .integer($0) })
        }
        claims.add("app_licensing_verdict", licensing.map { .text($0) })
        claims.add("account_activity_level", accountActivity.map { .text($0) })
        claims.add("apps_detected", appsDetected.map { .texts($0) })
        claims.add("play_protect_verdict", playProtect.map { .text($0) })
        claims.add("is_testing_response", isTestingResponse ? .boolean(true) : nil)
        return claims
    }
}

/// The two kinds of request for a token. They differ in the field that binds it.
package enum PlayRequestKind: String, CaseIterable, Hashable, Sendable {
    /// `nonce`, as base64url. May be decoded any number of times.
    case classic
    /// `requestHash`, a text. Only Google decodes it, and clears the verdicts when it is decoded again.
    case standard
}

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
