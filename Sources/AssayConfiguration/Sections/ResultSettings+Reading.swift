import AssayCore
import AssayResults
import AssaySchemes
import AssaySigning
import AssayVendors

extension ResultSettings {
    /// A key signs at least so long, and at most three years.
    private static let lifetimes: ClosedRange<Int64> = 7 * 86_400_000...1096 * 86_400_000
    /// Caches may keep the published keys for half of it.
    private static let leads: ClosedRange<Int64> = 86_400_000...30 * 86_400_000

    /// `nil` if something of what is required is missing, which is reported.
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let issuer = Issuer(reading: section, files)
        var rule = ResultKeyRule()
        if let lifetime = section.optional("key_lifetime")?.milliseconds(in: Self.lifetimes) { rule.lifetime = lifetime }
        let lead = section.optional("publish_ahead")
        if let time = lead?.milliseconds(in: Self.leads) { rule.publishAhead = time }
        if 2 * rule.publishAhead > rule.lifetime { lead?.report("want at most half of \"key_lifetime\"") }
        var statusLists = StatusListRule()
        if let lifetime = section.optional("status_list_lifetime")?.milliseconds(in: StatusListRule.lifetimes) {
            statusLists.lifetime = lifetime
        }
        let other = section.optional("simulated")
        let simulated = other.flatMap { other -> Issuer? in
            let section = other.section()
            defer { section.done() }
            return Issuer(reading: section, files)
        }
        section.done()
        guard let issuer else { return nil }
        self.init(devices: issuer)
        (self.simulated, self.rule, self.statusLists) = (simulated, rule, statusLists)
        if let simulated, simulated.address.utf8.elementsEqual(issuer.address.utf8) {
            other?.at("issuer")?.report("results of simulated devices want an issuer of their own")
        }
        reportShared(value)
    }

    /// Reports keys that stand twice.
    private func reportShared(_ value: ConfigurationReader.Value) {
        var seen: Set<String> = []
        for issuer in issuers {
            let list = (issuer.kind == .devices ? value.at("keys") : value.at("simulated", "keys"))?.list() ?? []
            for (key, place) in zip(issuer.settings.keys, list) where !seen.insert(key.mark).inserted {
                place.report("the key stands twice: each signs for one issuer, once")
            }
        }
    }
}

extension ResultSettings.Issuer {
    fileprivate init?(reading section: ConfigurationReader.Section, _ files: ConfigurationFiles) {
        let address = section.required("issuer")?.issuerAddress()
        let list = section.required("keys")
        let values = list?.filledList(orReport: "want at least one key: nothing could be signed") ?? []
        if values.count > ResultSettings.keyLimit { list?.report("want at most \(ResultSettings.keyLimit) keys") }
        let keys = values.map { ResultSettings.Key(reading: $0, files) }
        guard let address, !keys.isEmpty, !keys.contains(nil) else { return nil }
        self.init(address: address, keys: keys.compactMap(\.self))
    }
}

extension ResultSettings.Key {
    /// How long a key in memory may sign: not so long that it is as good as a key in a file.
    private static let certifiedLifetimes: ClosedRange<Int64> = 3_600_000...7 * 86_400_000
    private static let usualCertifiedLifetime: Int64 = 86_400_000

    fileprivate init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let key = KeyPlace(reading: section, file: "file", of: value, files)
        let publicKey = section.optional("public_key")
        let publicKeyFile = publicKey?.path(files)
        let certificate = section.optional("certificate")
        let certificateFile = certificate?.path(files)
        let certifies = section.optional("certifies")
        let certifiedLifetime = certifies.map { certifies -> Int64 in
            let section = certifies.section()
            defer { section.done() }
            return section.optional("lifetime")?.milliseconds(in: Self.certifiedLifetimes) ?? Self.usualCertifiedLifetime
        }
        if certificate == nil {
            certifies?.report("\"certificate\" is missing: the key certifies others as the CA that its certificate makes of it")
        }
        section.done()
        switch key {
        case .file(let path, let passphraseFile)?:
            publicKey?.report("the file has the public key too: leave it out")
            self.init(
                .file(path, passphraseFile: passphraseFile), certificateFile: certificateFile,
                certifiedLifetime: certifiedLifetime)
        case .token(let token)?:
            if publicKey == nil { value.report("\"public_key\" is missing: the key is published while the token is away") }
            guard let publicKeyFile else { return nil }
            self.init(
                .pkcs11(token, publicKeyFile: publicKeyFile), certificateFile: certificateFile,
                certifiedLifetime: certifiedLifetime)
        case nil: return nil
        }
    }

    /// The same for the same private key in the same place.
    fileprivate var mark: String {
        switch place {
        case .file(let path, _): "file \(path)"
        case .pkcs11(let token, _): "token \(token.module) \(token.tokenLabel) \(token.keyLabel)"
        }
    }
}

extension ConfigurationReader.Value {
    /// `https://host`, with or without a port and a path; `http://` with this machine. Tokens repeat it byte for byte.
    fileprivate func issuerAddress() -> String? {
        guard let text = text() else { return nil }
        guard let address = VendorAddress(text, allowsPlainLoopback: true), !text.hasSuffix("/") else {
            report(
                "want https://host/path without a query, a fragment or a slash at its end (http only for this machine), have \"\(text.prefix(80))\""
            )
            return nil
        }
        if address.isPlain { warn(.resultIssuerPlain, "who checks results reaches it on this machine alone: for trials") }
        return text
    }
}
