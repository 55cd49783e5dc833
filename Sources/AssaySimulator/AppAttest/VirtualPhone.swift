import AssayCore

/// A device that exists only in tests: it makes keys, attests them and signs assertions in the format of App Attest, under
/// the root of a `TestAuthority`.
///
/// A phone signs a hash of client data. `AssayCore.ClientData` builds the client data like the app's SDK:
///
///     let data = ClientData(purpose: .register, challenge: challenge, payload: payload)
///     let attestation = try key.attest(clientDataHash: data.hash, at: now)
public struct VirtualPhone: Sendable {
    public enum Environment: String, CaseIterable, Hashable, Sendable {
        case development
        case production

        /// The AAGUID in the authenticator data. 16 bytes.
        public var aaguid: [UInt8] {
            switch self {
            case .development: Array("appattestdevelop".utf8)
            case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
            }
        }
    }

    public enum Platform: String, CaseIterable, Hashable, Sendable {
        case iOS
        case macOS
    }

    public let authority: TestAuthority
    /// Prefix and bundle identifier, such as `TEAMID1234.com.example.app`.
    public let appID: String
    public let environment: Environment
    public let platform: Platform
    /// Such as "18.5". Since 27 authenticator data has the extensions map.
    public let osVersion: String
    /// `apple_bundle_version_01`, since OS 27.
    public var bundleVersion = "1"
    /// `apple_validation_category_01`, since OS 27: 3 in development, in production 4 (App Store), on a Mac 6 (Developer ID).
    public var validationCategory: UInt32
    /// The number of keys made; with the seed it determines the next one.
    private var keysMade = 0
    private let seed: String?

    /// With a seed the phone makes the same keys each time.
    public init(
        authority: TestAuthority, appID: String, environment: Environment = .production, platform: Platform = .iOS,
        osVersion: String = "27.0", seed: String? = nil
    ) {
        self.authority = authority
        self.appID = appID
        self.environment = environment
        self.platform = platform
        self.osVersion = osVersion
        self.seed = seed
        validationCategory = environment == .development ? 3 : platform == .macOS ? 6 : 4
    }

    /// A new key in the phone's Secure Enclave, as `generateKey` makes it.
    public mutating func makeKey() -> VirtualKey {
        defer { keysMade += 1 }
        let key = seed.map { TestSigningKey(.p256, seed: $0, label: "app attest key \(keysMade)") }
        return VirtualKey(phone: self, signingKey: key ?? TestSigningKey(.p256))
    }

    /// Whether authenticator data has the extensions map.
    public var reportsExtensions: Bool { (osVersion.split(separator: ".").first.flatMap { Int($0) } ?? 0) >= 27 }
}

extension VirtualPhone {
    private static let title = "assay virtual phone 1"

    func save(to saved: inout SavedText) {
        saved.add("app-id", appID)
        saved.add("environment", environment.rawValue)
        saved.add("platform", platform.rawValue)
        saved.add("os-version", osVersion)
        saved.add("bundle-version", bundleVersion)
        saved.add("validation-category", String(validationCategory))
        saved.add("keys-made", String(keysMade))
        if let seed { saved.add("seed", Array(seed.utf8)) }
    }

    init(authority: TestAuthority, from saved: SavedText) throws(SimulatorError) {
        guard let environment = Environment(rawValue: try saved.string("environment")),
            let platform = Platform(rawValue: try saved.string("platform"))
        else { throw .unreadable("unknown environment or platform") }
        let seed: [UInt8]? = saved.optionalString("seed") == nil ? nil : try saved.bytes("seed")
        self.init(
            authority: authority, appID: try saved.string("app-id"), environment: environment, platform: platform,
            osVersion: try saved.string("os-version"), seed: seed.map { String(decoding: $0, as: UTF8.self) })
        bundleVersion = try saved.string("bundle-version")
        validationCategory = try saved.number("validation-category")
        keysMade = try saved.number("keys-made")
    }

    /// The phone as text, for saving it to a file. The authority and the keys are saved separately.
    public var saved: String {
        var saved = SavedText(Self.title)
        save(to: &saved)
        return saved.text
    }

    /// The phone whose `saved` is the text, under its authority.
    public init(saved text: String, authority: TestAuthority) throws(SimulatorError) {
        try self.init(authority: authority, from: try SavedText(Self.title, reading: text))
    }
}
