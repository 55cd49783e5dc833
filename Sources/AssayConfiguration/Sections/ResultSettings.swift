package import AssayCore
package import AssayResults
package import AssaySigning

/// Who signs results, and with which keys: the section `results`.
package struct ResultSettings: Hashable, Sendable {
    package var devices: Issuer
    /// Signs results of simulated devices; `nil`: they get none.
    package var simulated: Issuer?
    package var rule = ResultKeyRule()
    package var statusLists = StatusListRule()

    package init(devices: Issuer) { self.devices = devices }

    /// An issuer and its keys, in the order of the file: of keys that are published together, the first signs first.
    package struct Issuer: Hashable, Sendable {
        /// `iss`, without a slash at its end.
        package var address: String
        package var keys: [Key]

        package init(address: String, keys: [Key]) { (self.address, self.keys) = (address, keys) }
    }

    /// A key that this daemon can sign with. It is opened when the daemon starts and at each reload.
    package struct Key: Hashable, Sendable {
        /// Where the private key is.
        package enum Place: Hashable, Sendable {
            /// A PKCS#8 file, and the file with its passphrase; `nil`: the key is not encrypted.
            case file(String, passphraseFile: String?)
            /// A token, and the file with the key's public key in PEM: so it is published while the token is away.
            case pkcs11(TokenKeySettings, publicKeyFile: String)
        }

        package var place: Place
        /// PEM: the key's certificate, then those above it, for the shapes that show them (`x5c`).
        package var certificateFile: String?
        /// How long a key in memory signs results that this key certifies to do so, in milliseconds; `nil`: this key signs them itself.
        package var certifiedLifetime: Int64?

        package init(_ place: Place, certificateFile: String? = nil, certifiedLifetime: Int64? = nil) {
            (self.place, self.certificateFile, self.certifiedLifetime) = (place, certificateFile, certifiedLifetime)
        }
    }

    /// The most keys of an issuer: the one that signs, the next, and some that have signed.
    package static let keyLimit = 8

    /// Both issuers, with the way to each in the file.
    package var issuers: [(kind: ResultPublicKey.Issuer, place: String, settings: Issuer)] {
        [(.devices, "results", devices)] + (simulated.map { [(.simulatedDevices, "results.simulated", $0)] } ?? [])
    }
}

extension ResultSettings {
    /// Who signs, a sentence for each issuer.
    var summary: [String] {
        issuers.map { issuer in
            let keys = issuer.settings.keys.map(\.words).joined(separator: ", ")
            return
                "signs results\(issuer.kind == .devices ? "" : " of simulated devices") as \(issuer.settings.address): \(keys)"
        } + [
            "lets a key of results sign for \(DurationText.exact(rule.lifetime)), published \(DurationText.exact(rule.publishAhead)) before",
            "signs status lists for \(DurationText.exact(statusLists.lifetime))",
        ]
    }
}

extension ResultSettings.Key {
    fileprivate var words: String {
        let key =
            switch place {
            case .file(let path, _): "key in \(path)"
            case .pkcs11(let token, _): "key \"\(token.keyLabel)\" in the token \"\(token.tokenLabel)\""
            }
        return certifiedLifetime.map { key + " (certifies keys in memory for \(DurationText.exact($0)))" } ?? key
    }
}
