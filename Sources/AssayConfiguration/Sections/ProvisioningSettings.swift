package import AssayCertificates
package import AssayCore
import AssayFiles
package import AssayProvisioning
import AssaySchemes
import AssaySigning

/// The CAs that issue device certificates: the section `provisioning`.
package struct ProvisioningSettings: Sendable {
    package var authorities: [Authority]
    package var lists: RevocationLists

    /// A CA. Its certificates are read with the configuration, its key is opened when the daemon starts and at each reload.
    package struct Authority: Hashable, Sendable {
        package var settings: AuthoritySettings
        /// Its certificate as an anchor for the certificates that it issues; `nil` if the file cannot be read, which is reported.
        package var anchor: TrustAnchor?

        fileprivate var summary: String {
            let name = anchor.map { " (\($0.subject), until \($0.validity.notAfter))" } ?? ""
            let key =
                switch settings.key {
                case .file(let path, _): "key in \(path)"
                case .pkcs11(let token): "key \"\(token.keyLabel)\" in the token \"\(token.tokenLabel)\""
                }
            return "signs device certificates as the CA \(settings.name)\(name), \(key)"
                + (settings.signsFrom.map { ", from \($0) on" } ?? "")
        }
    }

    /// How revocation lists are signed and published.
    package struct RevocationLists: Hashable, Sendable {
        /// In milliseconds.
        package var validity: Int64 = 7 * 86_400_000
        package var renewBefore: Int64 = 3 * 86_400_000
        /// The folder in which they are published as files; `nil`: they are not.
        package var directory: String?
        /// The URL in certificates, with `{ca}` for the CA's name; `nil`: certificates name none.
        package var url: NameTemplate?
    }

    /// The anchors of the certificates that these CAs issue.
    package var anchors: [TrustAnchor] { authorities.compactMap(\.anchor) }
}

extension ProvisioningSettings {
    /// The CAs and their revocation lists, a sentence each.
    var summary: [String] {
        let files = lists.directory.map { "writes them to \($0)" } ?? "writes no files of them"
        let place = lists.url.map { "certificates name \($0.text)" } ?? "certificates name no address of them"
        return authorities.map(\.summary) + [
            "signs revocation lists that are valid for \(DurationText.exact(lists.validity)); \(files); \(place)"
        ]
    }

    /// Without a CA something is reported.
    init(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        authorities = []
        for item in section.required("authorities")?.filledList(orReport: "want at least one CA") ?? [] {
            guard let authority = Authority(reading: item, files) else { continue }
            if authorities.contains(where: { $0.settings.name == authority.settings.name }) {
                item.report(
                    "two CAs have the name \"\(authority.settings.name)\": each has its own, which stands in the names of its lists"
                )
            }
            authorities.append(authority)
        }
        lists = RevocationLists()
        if let value = section.optional("revocation_lists") { lists = RevocationLists(reading: value, files) }
        section.done()
        if let url = lists.url { warn(of: url, section.optional("revocation_lists")?.at("url")) }
    }

    /// Warns of an address at which the list of a CA cannot be: certificates carry it until they end.
    private func warn(of url: NameTemplate, _ value: ConfigurationReader.Value?) {
        let names = authorities.map(\.settings.name)
        // The daemon gives no other names to the files that it writes.
        let foreign = names.first { name in
            guard let address = try? url.filledURI(DeviceNames(ca: name)), let file = address.split(separator: "/").last else {
                return false
            }
            return !["\(name).crl", "\(name).crl.pem"].contains { file.utf8.elementsEqual($0.utf8) }
        }
        let written = foreign.map { name in
            lists.directory == nil
                ? "" : "; the daemon writes \(name).crl and \(name).crl.pem into the directory, and nothing else"
        }
        if !url.places.contains(.ca), names.count > 1 {
            value?.warn(
                .revocationURLShared,
                "certificates of \(names.count) CAs name one address, where the list of one of them can be: want {ca} in it")
        } else if !url.places.contains(.ca), let written {
            value?.warn(
                .revocationURLShared,
                "certificates carry this address until they end, and the next CA has a list of its own: want {ca} in it, "
                    + "such as https://crl.example.org/{ca}.crl\(written)")
        } else if let name = foreign, lists.directory != nil {
            value?.warn(
                .revocationURLUnwritten,
                "certificates of the CA \(name) name another file than \(name).crl and \(name).crl.pem, which the daemon writes: want "
                    + "{ca}.crl at its end, unless a web server gives the file another name")
        }
    }
}

extension ProvisioningSettings.Authority {
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let nameValue = section.required("name")
        let name = nameValue?.text()
        if let name, AppID(name) == nil {
            nameValue?.report("a CA's name is of the form [a-z0-9._-]{1,64}, have \"\(name.prefix(64))\"")
        }
        let certificateValue = section.required("certificate")
        let certificate = certificateValue?.path(files)
        let key = KeyPlace(reading: section, file: "key", of: value, files).map { place -> AuthoritySettings.Key in
            switch place {
            case .file(let path, let passphraseFile): .file(path, passphraseFile: passphraseFile)
            case .token(let token): .pkcs11(token)
            }
        }
        let signsFrom = section.optional("signs_from")?.time()
        section.done()
        guard let name, let certificateValue, let certificate, let key else { return nil }
        let content = ConfigurationFiles.chain(certificateValue, at: certificate)
        self.init(
            settings: AuthoritySettings(
                name: name, certificateFile: certificate, certificates: content, key: key, signsFrom: signsFrom),
            anchor: content.flatMap { ConfigurationFiles.issuingAnchor($0, certificateValue, at: certificate, name: name) })
    }
}

extension ProvisioningSettings.RevocationLists {
    private static let lifetimes: ClosedRange<Int64> = 60_000...366 * 86_400_000

    init(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        self.init()
        let section = value.section()
        if let validity = section.optional("validity")?.milliseconds(in: Self.lifetimes) {
            self.validity = validity
            renewBefore = validity / 2
        }
        let renewal = section.optional("renew_before")
        if let time = renewal?.milliseconds(in: 1000...366 * 86_400_000) { renewBefore = time }
        if renewBefore >= validity { renewal?.report("want less than \"validity\", which is \(DurationText.exact(validity))") }
        directory = section.optional("directory")?.path(files)
        if let value = section.optional("url"), let template = value.template(of: [.ca], isURI: true) {
            let isURL = template.text.hasPrefix("http://") || template.text.hasPrefix("https://")
            if isURL { url = template } else { value.report("want a URL that begins with http:// or https://") }
        }
        section.done()
    }
}

extension ConfigurationFiles {
    /// A chain of CA certificates in PEM is not larger, in bytes.
    private static let chainLimit = 64 << 10

    /// The content of a chain's file.
    fileprivate static func chain(_ value: ConfigurationReader.Value, at path: String) -> [UInt8]? {
        do throws(BoundedFileError) {
            return try BoundedFile.read(path, atMost: chainLimit, isRegular: true)
        } catch {
            value.report("the file \(path) \(error)")
            return nil
        }
    }

    /// The first certificate of a chain, as an anchor.
    fileprivate static func issuingAnchor(
        _ bytes: [UInt8], _ value: ConfigurationReader.Value, at path: String, name: String
    ) -> TrustAnchor? {
        do throws(Rejection) {
            return try TrustAnchor(name: name, issuing: String(decoding: bytes, as: UTF8.self))
        } catch {
            value.report("\(path): \(error.detail)")
            return nil
        }
    }
}
