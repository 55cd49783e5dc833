import AssaySchemes
package import AssayVendors

extension Configuration {
    /// The lists that the daemon fetches.
    package struct Feeds: Hashable, Sendable {
        package var attestationStatus = AttestationStatus()

        /// Google's list of revoked attestation certificates.
        package struct AttestationStatus: Hashable, Sendable {
            /// The name of the list, in verdicts and commands.
            package static let name = "google-attestation-status"
            static let path = "/attestation/status"
            /// What the copy is called behind the ledger's name, unless it is named.
            static let copySuffix = ".attestation-status"

            package var address = Self.home
            private static let home: VendorAddress = {
                guard let address = VendorAddress("https://android.googleapis.com") else {
                    preconditionFailure("the literal is of the form")
                }
                return address
            }()

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
            if let address = list.optional("address")?.vendorAddress() { feeds.attestationStatus.address = address }
            // An hour at least: the service lets its answers be kept that long. A week at most: what is leaked is revoked in days.
            if let age = list.optional("max_age")?.milliseconds(in: 3_600_000...7 * 86_400_000) {
                feeds.attestationStatus.maxAge = age
            }
            feeds.attestationStatus.file = list.optional("file")?.path(files)
            list.done()
        }
        section.done()
        return feeds
    }

    /// The settings of Google's list, which is fetched where some app uses it.
    package var attestationStatus: RevocationFeed.Settings {
        let feed = feeds.attestationStatus
        let isWanted = apps.contains { app in
            if case .google? = app.android?.revocation { true } else { false }
        }
        return RevocationFeed.Settings(
            address: feed.address, path: Feeds.AttestationStatus.path, maxAgeMilliseconds: feed.maxAge,
            file: feed.file ?? store.path + Feeds.AttestationStatus.copySuffix, isWanted: isWanted)
    }

    /// The files that apps take their lists from.
    package var revocationFiles: [AppRevocationFile] {
        apps.compactMap { app in
            if case .file(let file)? = app.android?.revocation { AppRevocationFile(app: app.id, file: file) } else { nil }
        }
    }
}
