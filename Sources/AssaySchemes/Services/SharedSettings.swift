package import AssayVendors

/// What platforms' sections refer to elsewhere in the file: the teams and services of vendors, and the fetched lists.
package struct SharedSettings {
    package let files: ConfigurationFiles
    package let appleTeams: AppleTeams
    /// Where Google issues bearer tokens.
    package let googleOAuth: VendorAddress
    /// By the path of each service's key, such as `apple.device_check`.
    private let services: [String: VendorServiceAddresses]
    /// By the name of each list.
    private let lists: [String: RevocationListSetting]

    package init(
        files: ConfigurationFiles, appleTeams: AppleTeams, googleOAuth: VendorAddress,
        services: [String: VendorServiceAddresses], lists: [String: RevocationListSetting]
    ) {
        (self.files, self.appleTeams, self.googleOAuth) = (files, appleTeams, googleOAuth)
        (self.services, self.lists) = (services, lists)
    }

    package subscript(service: VendorServiceDeclaration) -> VendorServiceAddresses {
        services[service.path] ?? service.addresses
    }

    package subscript(list: RevocationListDeclaration) -> RevocationListSetting {
        lists[list.name] ?? RevocationListSetting(list)
    }
}
