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
