import AppAttest

extension ReceiptRule {
    /// The oldest receipt that an app may take: Apple keeps what it exchanges them for no longer.
    private static let oldest: Int64 = 30 * 86_400_000

    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let mode = section.optional("mode")?.choice(["off": Mode.off, "report": .report, "require": .require])
        let age = section.optional("max_age")?.milliseconds(in: 1000...Self.oldest)
        section.done()
        self.init(mode: mode ?? .report, maxAgeMilliseconds: age ?? Self.usualAge)
    }
}
