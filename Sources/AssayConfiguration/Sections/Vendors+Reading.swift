import AssayCore
import AssayFiles
import AssaySchemes
import AssayVendors
import Foundation

extension VendorSettings {
    /// A file of roots larger than this is none, in bytes.
    private static let rootsLimit = 1 << 20

    /// The most calls under way that may be asked for.
    private static let mostCalls = 8192

    /// The section `vendors`.
    init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        self.init()
        guard let section = value?.section() else { return }
        if let time = section.optional("connect_timeout")?.milliseconds(in: 100...60_000) { connectMilliseconds = time }
        if let time = section.optional("timeout")?.milliseconds(in: 100...120_000) { totalMilliseconds = time }
        if section.optional("timeout") != nil, connectMilliseconds > totalMilliseconds {
            section.optional("connect_timeout")?.report("it says nothing where it is longer than \"timeout\"")
        }
        if let limit = section.optional("max_calls")?.integer(in: 1...Self.mostCalls) { callLimit = limit }
        for item in section.optional("extra_roots")?.list() ?? [] {
            guard let path = item.path(files) else { continue }
            do throws(BoundedFileError) {
                let roots = try BoundedFile.read(path, atMost: Self.rootsLimit, isRegular: true)
                guard VendorClient.canTrust(roots) else {
                    item.report("the file \(path) holds no certificates in PEM, or one that cannot be read")
                    continue
                }
                extraRoots += roots + [UInt8(ascii: "\n")]
            } catch {
                item.report("the file \(path) \(error)")
            }
        }
        section.done()
    }

    /// Makes sure of a share of the calls for each app that asks vendors about evidence, and one for what the daemon asks by
    /// itself.
    ///
    /// - Parameter value: the section, where there is one.
    mutating func makeRoom(for apps: Int, _ value: ConfigurationReader.Value?) {
        guard apps > 0, callLimit <= apps else { return }
        if let limit = value?.at("max_calls") {
            limit.report(
                "want at least \(apps + 1): one for each app that has Apple or Google asked about evidence, and one for what "
                    + "the daemon asks by itself")
        }
        callLimit = apps + 1
    }
}

/// The sections `apple` and `google`: whose keys are shown to the vendors, and where their services are.
struct VendorSections {
    let appleTeams: AppleTeams
    private let googleOAuth: VendorAddress
    /// By the path of each service's key.
    private let services: [String: VendorServiceAddresses]

    init(
        apple: ConfigurationReader.Value?, google: ConfigurationReader.Value?, _ files: ConfigurationFiles,
        _ schemes: [any AttestationScheme.Type]
    ) {
        let sections: [VendorServiceDeclaration.Vendor: ConfigurationReader.Section] = [
            .apple: apple?.section(), .google: google?.section(),
        ].compactMapValues { $0 }
        appleTeams = AppleTeams(reading: sections[.apple]?.required("teams"), files)
        googleOAuth = sections[.google]?.optional("oauth")?.vendorAddress() ?? VendorAddress(host: "oauth2.googleapis.com")
        var services: [String: VendorServiceAddresses] = [:]
        for service in schemes.flatMap({ $0.services }) {
            services[service.path] = VendorServiceAddresses(
                service, reading: sections[service.vendor]?.optional(service.key))
        }
        self.services = services
        for section in sections.values { section.done() }
    }

    func shared(_ files: ConfigurationFiles, _ lists: RevocationLists) -> SharedSettings {
        SharedSettings(
            files: files, appleTeams: appleTeams, googleOAuth: googleOAuth, services: services, lists: lists.settings)
    }
}
