import AssayCore
import AssayFiles
import AssaySchemes
package import AssayVendors

/// How Google is asked to decode an app's tokens: the section `play_integrity.google`.
package struct PlayDecodeRule: Sendable {
    package var account: GoogleServiceAccount
    /// The package that Google is asked about.
    package var package: String
    /// Where Google issues bearer tokens.
    package var oauth: VendorAddress
    /// Where Google decodes tokens.
    package var service: VendorAddress

    package init(account: GoogleServiceAccount, package: String, oauth: VendorAddress, service: VendorAddress) {
        (self.account, self.package, self.oauth, self.service) = (account, package, oauth, service)
    }

    func client(_ vendors: VendorAccess) -> PlayDecodeClient {
        let access = GoogleAccess(
            account, scope: PlayDecodeClient.scope, address: oauth, client: vendors.client, clock: vendors.clock)
        return PlayDecodeClient(
            client: vendors.client, address: service, package: package, access: access, callLimit: vendors.callLimit,
            clock: vendors.clock, logger: vendors.logger)
    }
}

extension PlayDecodeRule {
    /// - Parameter packages: the app's; one of them needs no name.
    init?(
        reading value: ConfigurationReader.Value, packages: Set<String>,  // not text from outside
        _ shared: SharedSettings
    ) {
        let section = value.section()
        let file = section.required("service_account")
        let name = section.optional("package")
        section.done()
        guard let file, let path = file.path(shared.files) else { return nil }
        guard let package = name?.text() ?? (packages.count == 1 ? packages.first : nil) else {
            value.report("want \"package\": the app has more than one, and Google is asked about one")
            return nil
        }
        guard packages.contains(package) else {
            name?.report("the app has no package \"\(package.prefix(60))\"")
            return nil
        }
        do {
            let account = try GoogleServiceAccount(
                file: try ProtectedFile.read(path, atMost: GoogleServiceAccount.fileLimit))
            self.init(
                account: account, package: package, oauth: shared.googleOAuth,
                service: shared[PlayIntegrityScheme.service].production)
        } catch let problem as ProtectedFileError {
            file.report("the file \(path) \(problem.description)")
            return nil
        } catch {
            file.report("\(path): \(error)")
            return nil
        }
    }
}
