package import AssayVendors

/// A service of a vendor that a platform may ask: where it is, and under which key the configuration names another place.
package struct VendorServiceDeclaration: Hashable, Sendable {
    /// A section of the configuration.
    package enum Vendor: String, CaseIterable, Hashable, Sendable { case apple, google }

    /// The key in the vendor's section: an address, or for a service of two environments a section with `production` and
    /// `development`.
    package let key: String
    package let vendor: Vendor
    package let addresses: VendorServiceAddresses
    /// Further keys of such a section, each with the words that it takes, the default first.
    package let choices: [String: [String]]

    package init(_ key: String, of vendor: Vendor, at host: StaticString) {
        let address = VendorAddress(host: host)
        (self.key, self.vendor, choices) = (key, vendor, [:])
        addresses = VendorServiceAddresses(production: address, development: nil)
    }

    package init(
        _ key: String, of vendor: Vendor, production: StaticString, development: StaticString, choices: [String: [String]] = [:]
    ) {
        (self.key, self.vendor, self.choices) = (key, vendor, choices)
        addresses = VendorServiceAddresses(
            production: VendorAddress(host: production), development: VendorAddress(host: development))
    }

    /// The way to the key, e.g. `apple.device_check`.
    package var path: String { "\(vendor.rawValue).\(key)" }
}

/// Where a service is, and the words that the configuration chose for it.
package struct VendorServiceAddresses: Hashable, Sendable {
    package var production: VendorAddress
    /// `nil` for a service of one environment.
    package var development: VendorAddress?
    /// By key; a key that is not set has its default.
    package var chosen: [String: String]

    package init(production: VendorAddress, development: VendorAddress?, chosen: [String: String] = [:]) {
        (self.production, self.development, self.chosen) = (production, development, chosen)
    }
}

extension VendorServiceAddresses {
    /// Reads a service's key; what it does not name stays as declared.
    package init(_ declaration: VendorServiceDeclaration, reading value: ConfigurationReader.Value?) {
        self = declaration.addresses
        guard let value else { return }
        guard development != nil else {
            if let address = value.vendorAddress() { production = address }
            return
        }
        let section = value.section()
        if let address = section.optional("production")?.vendorAddress() { production = address }
        if let address = section.optional("development")?.vendorAddress() { development = address }
        for (key, words) in declaration.choices.sorted(by: { $0.key < $1.key }) {
            chosen[key] = section.optional(key)?.choice(among: words)
        }
        section.done()
    }
}

extension VendorAddress {
    /// `https://` and a host that stands in the code.
    package init(host: StaticString) {
        guard let address = VendorAddress("https://\(host)") else { preconditionFailure("the literal is of the form") }
        self = address
    }
}

/// A question that the daemon asks a service outside of the machine.
package struct ServiceCall: Hashable, Sendable {
    /// What is asked for. The name is a contract (`assayd check-config --json`).
    package struct Purpose: Hashable, Sendable {
        package let name: String
        /// For people, to stand behind "asks ADDRESS for".
        package let words: String
        package init(_ name: String, _ words: String) { (self.name, self.words) = (name, words) }

        package static let googleAccess = Purpose("google_access", "bearer tokens for Google's services")
    }

    /// With the path where it tells services of one host apart.
    package let address: String
    package let purpose: Purpose
    /// Whether the service is asked about evidence while the caller waits for the verdict.
    package let isAwaited: Bool

    package init(_ address: String, for purpose: Purpose, whileCallerWaits isAwaited: Bool = false) {
        (self.address, self.purpose, self.isAwaited) = (address, purpose, isAwaited)
    }
}
