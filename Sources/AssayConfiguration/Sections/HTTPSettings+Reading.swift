import AssayHTTP
import AssaySchemes

extension HTTPSettings {
    /// The section `http`, or none.
    init(reading value: ConfigurationReader.Value?) {
        self.init()
        guard let section = value?.section() else { return }
        if let serves = section.optional("health")?.boolean() { servesHealth = serves }
        if let serves = section.optional("reflection")?.boolean() { servesReflection = serves }
        if let serves = section.optional("openapi")?.boolean() { servesOpenAPI = serves }
        trustedProxies = section.optional("trusted_proxies")?.proxies() ?? TrustedProxies()
        section.done()
    }
}

extension ConfigurationReader.Value {
    /// A list of numeric addresses, ranges of them and the word `unix`. A name of a host would be worth what the name service is.
    fileprivate func proxies() -> TrustedProxies {
        let words = list() ?? []
        return TrustedProxies(
            words.filter { !$0.isWord("unix") }.compactMap { $0.addressRange() }, unix: words.contains { $0.isWord("unix") })
    }

    private func addressRange() -> AddressRange? {
        guard let text = text() else { return nil }
        do throws(AddressRange.Defect) {
            return try AddressRange(parsing: text)
        } catch {
            report("\(error)")
            return nil
        }
    }

    /// Notes a section about HTTP where nothing listens with it.
    func warnOfUnusedHTTP() {
        warn(.httpUnused, "it has no effect: no address of \"listen\" has \"protocol: http\"")
    }
}
