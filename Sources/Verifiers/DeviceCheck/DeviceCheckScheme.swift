package import AssaySchemes

/// DeviceCheck: two bits that Apple keeps for each device and developer team. Only Apple's service can read a token.
///
/// Without trust anchors, inspection and vectors: a token is opaque, and what it says is known for a moment only.
package enum DeviceCheckScheme: AttestationScheme {
    package static let sectionKey: String? = "device_check"

    package static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        DeviceCheckSection(reading: value, shared)
    }

    package static let services = [service]

    static let service = VendorServiceDeclaration(
        "device_check", of: .apple, production: "api.devicecheck.apple.com",
        development: "api.development.devicecheck.apple.com")
}
