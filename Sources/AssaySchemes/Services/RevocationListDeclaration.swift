package import AssayVendors

/// A revocation list that the daemon fetches: a key of the section `feeds`.
package struct RevocationListDeclaration: Hashable, Sendable {
    /// The key in the section `feeds`.
    package let key: String
    /// The name of the list, in verdicts and commands.
    package let name: String
    /// Where the list is, unless the configuration names another place.
    package let home: VendorAddress
    /// The path of the list there.
    package let path: String
    /// The greatest age that the configuration may allow, in milliseconds, and the default.
    package let ages: ClosedRange<Int64>
    package let defaultAge: Int64
    /// What the file of the last good copy is called behind the ledger's name, unless it is named.
    package let copySuffix: String
    /// What is asked for.
    package let purpose: ServiceCall.Purpose

    package init(
        key: String, name: String, home: VendorAddress, path: String, ages: ClosedRange<Int64>, defaultAge: Int64,
        copySuffix: String, purpose: ServiceCall.Purpose
    ) {
        (self.key, self.name, self.home, self.path) = (key, name, home, path)
        (self.ages, self.defaultAge, self.copySuffix, self.purpose) = (ages, defaultAge, copySuffix, purpose)
    }
}

/// A declared revocation list as the configuration has it.
package struct RevocationListSetting: Hashable, Sendable {
    package var address: VendorAddress
    /// In milliseconds.
    package var maxAge: Int64
    /// Where the last good copy lies; `nil`: beside the ledger.
    package var file: String?

    package init(_ declaration: RevocationListDeclaration) {
        (address, maxAge) = (declaration.home, declaration.defaultAge)
    }

    /// Reads a list's key; what it does not name stays as declared.
    package init(
        _ declaration: RevocationListDeclaration, reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles
    ) {
        self.init(declaration)
        guard let section = value?.section() else { return }
        if let address = section.optional("address")?.vendorAddress() { self.address = address }
        if let age = section.optional("max_age")?.milliseconds(in: declaration.ages) { maxAge = age }
        file = section.optional("file")?.path(files)
        section.done()
    }
}
