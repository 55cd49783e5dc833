import AssaySchemes
package import AssayVendors

/// Where an app learns which attestation certificates are revoked: the section `android.revocation`.
package enum AndroidRevocation: Sendable {
    /// From Google's list, which the daemon keeps up to date.
    case google
    /// From a file that another program keeps up to date.
    case file(RevocationFile)
    /// Nowhere: every verdict says so.
    case none

    /// As the policy digest and people name it.
    package var name: String {
        switch self {
        case .google: "google"
        case .file(let file): "file \(file.path)"
        case .none: "none"
        }
    }
}

extension AndroidRevocation {
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let source = section.required("source")?.choice(["google": "google", "file": "file", "none": "none"])
        let file = section.optional("file")
        let age = section.optional("max_age")
        let maxAge = age?.milliseconds(in: 3_600_000...366 * 86_400_000)
        section.done()
        let isFile = source.map { $0 == "file" } ?? true  // not text from outside
        if !isFile { age?.report("the age of a file is judged only with \"source: file\"") }
        switch (source, file) {
        case ("google", nil): self = .google
        case ("none", nil): self = .none
        case ("file", let file?):
            guard let path = file.path(files) else { return nil }
            do throws(FeedError) {
                self = .file(try RevocationFile(path, maxAgeMilliseconds: maxAge ?? 7 * 86_400_000))
            } catch {
                file.report(error.description)
                return nil
            }
        case ("file", nil):
            value.report("want \"file\": a list as Google's service answers it")
            return nil
        default:
            file?.report("a file is read only with \"source: file\"")
            return nil
        }
    }
}
