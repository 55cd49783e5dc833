import AssayCertificates
import AssayCore
import AssaySchemes
import AssayVendors

extension CertificateBundleSection {
    /// The widest limits of time, in milliseconds.
    private static let widestFuture: Int64 = 86_400_000
    fileprivate static let widestAge: Int64 = 3_660 * 86_400_000
    /// CAs that an app may name, and lists of theirs.
    private static let authorityLimit = 64

    init?(reading value: ConfigurationReader.Value, _ shared: SharedSettings) {
        let section = value.section()
        var policy = CertificateBundlePolicy()
        if let arc = section.optional("extension_arc")?.arcs() { policy.arc = arc }
        if let time = section.optional("max_future")?.milliseconds(in: 0...Self.widestFuture) { policy.maxFuture = time }
        if let time = section.optional("max_age")?.milliseconds(in: 1000...Self.widestAge) { policy.maxAge = time }
        if let rule = section.optional("secret")?.choice(["required": .required, "if_present": .ifPresent] as Rules) {
            policy.secret = rule
        }
        if let value = section.optional("submissions") { policy.submissions = .init(reading: value) }
        if let allowed = section.optional("split")?.choice(["allow": true, "deny": false]) { policy.allowsSplit = allowed }
        if let level = section.optional("assurance")?.choice(Self.levels) { policy.foreignAssurance = level }
        let authorities = Self.authorities(section.optional("authorities"), shared)
        let acceptsOwn = section.optional("issued_here")?.boolean() ?? true
        let lists = Self.lists(section.optional("crl_files"), of: authorities, shared)
        section.done()
        if !acceptsOwn, section.optional("authorities") == nil {
            value.report("want \"authorities\": without them, and with \"issued_here: false\", no certificate is accepted")
        }
        if authorities.isEmpty, section.optional("authorities") == nil {
            section.optional("assurance")?.report("it is of certificates of \"authorities\", which are missing")
        }
        self.init(policy: policy, authorities: authorities, acceptsOwn: acceptsOwn, lists: lists)
    }

    private typealias Rules = KeyValuePairs<String, CertificateBundlePolicy.SecretRule>

    /// No vendor vouches for keys of other CAs, so that `platform` is no choice.
    private static let levels: KeyValuePairs<String, Assurance> = [
        "software": .software, "hardware": .hardware, "secure_element": .secureElement,
    ]

    private static func authorities(_ value: ConfigurationReader.Value?, _ shared: SharedSettings) -> [TrustAnchor] {
        guard let value, let files = value.filledList(orReport: "want at least one CA; leave the key out to name none")
        else { return [] }
        guard files.count <= authorityLimit else {
            value.report("want at most \(authorityLimit) authorities, have \(files.count)")
            return []
        }
        return files.compactMap { shared.files.anchor($0, simulated: false) }
    }

    private static func lists(
        _ value: ConfigurationReader.Value?, of authorities: [TrustAnchor], _ shared: SharedSettings
    ) -> [ListFile] {
        guard let value, let files = value.filledList(orReport: "want at least one list; leave the key out to name none")
        else { return [] }
        guard files.count <= authorityLimit else {
            value.report("want at most \(authorityLimit) lists, have \(files.count)")
            return []
        }
        var lists: [ListFile] = []
        for value in files {
            guard let path = value.path(shared.files) else { continue }
            do throws(FeedError) {
                let list = try ListFile(path, of: authorities)
                if lists.contains(where: { $0.issuer == list.issuer }) { value.report("there is another list of the same CA") }
                lists.append(list)
            } catch {
                value.report("\(path): \(error)")
            }
        }
        return lists
    }
}

extension CertificateBundleSection.ListFile {
    /// Throws if the file is not a list of one of the authorities now. Later versions must be lists of the same CA.
    init(_ path: String, of authorities: [TrustAnchor]) throws(FeedError) {
        var failure = FeedError.malformed("the app names no authority that could have signed it")
        for anchor in authorities {
            do throws(FeedError) {
                // How old it may be is said by the list itself.
                let file = try RevocationFile(
                    path, maxAgeMilliseconds: CertificateBundleSection.widestAge, format: .revocationList(of: anchor))
                self.init(issuer: anchor.publicKeySHA256, file: file)
                return
            } catch { failure = error }
        }
        throw failure
    }
}

extension CertificateBundlePolicy.Submissions {
    private static let most = 1_000_000_000

    fileprivate init(reading value: ConfigurationReader.Value) {
        self.init()
        let section = value.section()
        if let number = section.optional("warn")?.integer(in: 1...Self.most) { warn = Int64(number) }
        if let number = section.optional("block")?.integer(in: 1...Self.most) { block = Int64(number) }
        section.done()
        if warn > block { value.report("want \"warn\" at most as great as \"block\", have \(warn) and \(block)") }
    }
}

extension ConfigurationReader.Value {
    /// The arc of a fleet's extensions, or a list of arcs: a fleet whose arc changed has certificates below each.
    fileprivate func arcs() -> FleetArc? {
        guard isList else { return arc() }
        let arcs = (list() ?? []).compactMap { $0.arc() }
        guard let first = arcs.first, arcs.count <= Self.arcLimit else {
            report("want 1 to \(Self.arcLimit) arcs")
            return nil
        }
        return arcs.dropFirst().reduce(first) { $0.or($1) }
    }

    private static var arcLimit: Int { 8 }

    private func arc() -> FleetArc? {
        guard let text = text() else { return nil }
        guard let arc = FleetArc(text) else {
            report("want an OBJECT IDENTIFIER such as 1.3.6.1.4.1.32473.1, have \"\(text.prefix(60))\"")
            return nil
        }
        return arc
    }
}
