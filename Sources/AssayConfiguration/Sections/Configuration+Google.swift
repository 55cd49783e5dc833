import AssaySchemes
package import AssayVendors

extension Configuration {
    /// Where Google's services are: the section `google`.
    package struct Google: Hashable, Sendable {
        package var oauth = Self.address("oauth2.googleapis.com")
        package var playIntegrity = Self.address("playintegrity.googleapis.com")

        private static func address(_ host: StaticString) -> VendorAddress {
            guard let address = VendorAddress("https://\(host)") else { preconditionFailure("the literal is of the form") }
            return address
        }
    }
}

extension Configuration.Google {
    init(reading value: ConfigurationReader.Value?) {
        self.init()
        guard let section = value?.section() else { return }
        if let address = section.optional("oauth")?.vendorAddress() { oauth = address }
        if let address = section.optional("play_integrity")?.vendorAddress() { playIntegrity = address }
        section.done()
    }
}

/// Who asks Google to decode an app's tokens, and about which package.
package struct PlayDecodeRule: Sendable {
    package var account: GoogleServiceAccount
    package var package: String
}

extension PlayDecodeRule {
    /// - Parameter packages: the app's; one of them needs no name.
    init?(reading value: ConfigurationReader.Value, packages: Set<String>, _ files: ConfigurationFiles) {
        let section = value.section()
        let file = section.required("service_account")
        let name = section.optional("package")
        section.done()
        guard let file, let path = file.path(files) else { return nil }
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
            self.init(account: account, package: package)
        } catch let problem as ProtectedFileError {
            file.report("the file \(path) \(problem.description)")
            return nil
        } catch {
            file.report("\(path): \(error)")
            return nil
        }
    }
}
