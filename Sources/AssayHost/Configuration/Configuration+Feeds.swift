import AssayFeeds

extension Configuration {
    /// The lists that the daemon fetches.
    package struct Feeds: Hashable, Sendable {
        package var attestationStatus = AttestationStatus()

        /// Google's list of revoked attestation certificates.
        package struct AttestationStatus: Hashable, Sendable {
            /// The name of the list, in verdicts and commands.
            package static let name = "google-attestation-status"
            static let path = "/attestation/status"

            package var address = "https://android.googleapis.com"
            /// In milliseconds.
            package var maxAge: Int64 = 86_400_000
            /// Where the last good copy lies; `nil`: beside the ledger.
            package var file: String?
        }
    }

    static func readFeeds(_ value: ConfigurationReader.Value?, _ files: ConfigurationFiles) -> Feeds {
        var feeds = Feeds()
        guard let section = value?.section() else { return feeds }
        if let list = section.optional("google_attestation_status")?.section() {
            if let address = list.optional("address") {
                if let text = address.text(), VendorAddress(text) != nil {
                    feeds.attestationStatus.address = text
                } else {
                    address.report("want https://host or https://host:port")
                }
            }
            // An hour at least: the service lets its answers be kept that long. A week at most: what is leaked is revoked in days.
            if let age = list.optional("max_age")?.milliseconds(in: 3_600_000...7 * 86_400_000) {
                feeds.attestationStatus.maxAge = age
            }
            feeds.attestationStatus.file = list.optional("file")?.text().map(files.resolve)
            list.done()
        }
        section.done()
        return feeds
    }

    /// The settings of Google's list. Nothing is fetched unless some app uses it.
    func attestationStatus(isWanted: Bool) -> RevocationFeed.Settings? {
        let feed = feeds.attestationStatus
        guard let address = VendorAddress(feed.address) else { return nil }
        return RevocationFeed.Settings(
            address: address, path: Feeds.AttestationStatus.path, maxAgeMilliseconds: feed.maxAge,
            file: feed.file ?? store.path + ".attestation-status", isWanted: isWanted)
    }
}
