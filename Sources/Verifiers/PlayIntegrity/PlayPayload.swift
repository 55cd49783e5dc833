import AssayCore

/// What a token says (Play Integrity, "Integrity verdicts"), as it says it: values of enumerations are texts, since Google adds to
/// them. Everything but the request's details can be absent, and often is on devices that are not trusted.
struct PlayPayload {
    /// The package that asked, by its own account.
    let requestPackageName: String
    let nonce: String?
    let requestHash: String?
    /// Google's clock: when the token was made, or asked for.
    let timestamp: Timestamp
    let app: App
    let device: Device
    let recall: DeviceRecall?
    let licensing: String?
    let accountActivity: String?
    /// `nil`: not evaluated. An empty list: evaluated, and nothing found.
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
        /// Empty for a device that meets nothing; Google then leaves the field out.
        let labels: [String]
        let legacyLabels: [String]?
        let sdkVersion: Int64?
        let activityLevel: String?

        func has(_ label: PlayVerdict.Device) -> Bool { labels.contains { $0.hasBytes(of: label.rawValue) } }
    }

    /// Reads `requestDetails` and what is beside it.
    ///
    /// - Throws: The code of the fields, if something has the wrong type or the request's details are incomplete.
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

    /// Nothing was evaluated. The device is not trusted, or Google was asked to decode a token of a standard request again.
    var isCleared: Bool {
        device.labels.isEmpty && PlayVerdict.isUnevaluated(app.verdict) && PlayVerdict.isUnevaluated(licensing)
    }
}
