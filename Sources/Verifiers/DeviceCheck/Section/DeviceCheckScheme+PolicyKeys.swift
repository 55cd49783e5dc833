/// The keys below `apps.<app>.device_check` that decide checks, for people who ask why one failed.
extension DeviceCheckScheme {
    package static let policyKeys = ["bits": "refuse_bits", "vendor": "environment"]
}
