package import AssayService
package import AssayVendors

/// How one webhook is served.
package struct WebhookRule: Hashable, Sendable {
    package var name: String
    package var address: VendorAddress
    /// One, or two during a rotation: each signs. Never logged.
    package var secrets: [[UInt8]]
    package var filter: WatchFilter
    package var settings: VendorSettings
    /// Attempts of one request, the first included.
    package var attempts: Int
    /// Events that wait at a time.
    package var waiting: Int
    package var deadLetters: String
    /// In bytes.
    package var deadLetterBytes: Int
    package var backoff = Backoff(first: 1000, cap: 600_000)

    package init(
        name: String, address: VendorAddress, secrets: [[UInt8]], filter: WatchFilter, settings: VendorSettings, attempts: Int,
        waiting: Int, deadLetters: String, deadLetterBytes: Int
    ) {
        (self.name, self.address, self.secrets, self.filter, self.settings) = (name, address, secrets, filter, settings)
        (self.attempts, self.waiting) = (attempts, waiting)
        (self.deadLetters, self.deadLetterBytes) = (deadLetters, deadLetterBytes)
    }
}
