import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssaySchemes

extension CallerDirectory {
    /// Reads the section `callers`. Only the callers in it may call, and each peer is one caller at most.
    init(reading value: ConfigurationReader.Value?, apps known: [String]?) {
        var list = CallerList()
        let section = value?.section()
        let isDemo = section?.optional("loopback_demo")?.boolean() ?? false
        let isOpen = section?.optional("i_accept_unauthenticated_callers_from_the_network")?.boolean() ?? false
        if isDemo { list.names.insert(Self.demo.name) }
        if isOpen { list.names.insert(Self.unauthenticated.name) }
        let items = section?.optional("known")?.list() ?? []
        for item in items { list.read(item, apps: known) }
        let keys = section?.optional("keys").flatMap { KeyRule(reading: $0, apps: known) }
        if items.isEmpty, section?.optional("known")?.isList != false, !isDemo, !isOpen {
            section?.absent(["known", "loopback_demo"], "nobody may call: want \"known\", or \"loopback_demo\"")
        }
        section?.done()
        self.init(
            byUserID: list.byUserID, byURI: list.byURI, byDNSName: list.byDNSName, loopback: isDemo ? Self.demo : nil,
            network: isOpen ? Self.unauthenticated : nil, keys: keys)
    }
}

/// The callers read so far, by what each is recognised by.
private struct CallerList {
    var names: Set<String> = []
    var byUserID: [UInt32: Caller] = [:]
    var byURI: [String: Caller] = [:]
    var byDNSName: [String: Caller] = [:]

    mutating func read(_ item: ConfigurationReader.Value, apps known: [String]?) {
        let section = item.section()
        let name = section.required("name")?.callerName()
        let userID = section.optional("unix_user")?.unixUser()
        let uri = section.optional("uri")?.certificateName("a URI such as spiffe://example.org/uploads") { $0.contains(":") }
        let dnsName = section.optional("dns")?.certificateName("a DNS name without wildcards: names are compared as they stand")
        {
            !$0.contains("*") && !$0.contains(":")
        }
        let marks = ["unix_user", "uri", "dns"]
        if marks.allSatisfy({ section.optional($0) == nil }) {
            section.absent(marks, "want at least one of \"unix_user\", \"uri\" and \"dns\": what the caller is recognised by")
        }
        let roleItems = section.required("roles")?.list()
        if roleItems?.isEmpty == true { section.optional("roles")?.report("a caller without a role may do nothing") }
        let roles = roleItems?.compactMap { $0.choice(Role.byName) }
        let apps = section.required("apps")?.appGrant(among: known)
        section.done()
        // A list of unknown names is reported by name.
        if apps?.only?.isEmpty == true, (section.optional("apps")?.list() ?? []).isEmpty {
            section.optional("apps")?.warn(.callerWithoutApps, "the caller may name no app")
        }
        guard let name, let roles, let apps else { return }
        if !names.insert(name).inserted {
            item.report("two callers have the name \"\(name)\": one entry has all of \"unix_user\", \"uri\" and \"dns\"")
        }
        let caller = Caller(name: name, roles: Set(roles), apps: apps.only)
        if let userID, byUserID.updateValue(caller, forKey: userID) != nil {
            item.report("two callers have the unix_user \(userID)")
        }
        if let uri, byURI.updateValue(caller, forKey: uri) != nil { item.report("two callers have the uri \(uri)") }
        if let dnsName, byDNSName.updateValue(caller, forKey: dnsName) != nil {
            item.report("two callers have the dns name \(dnsName)")
        }
    }
}

extension KeyRule {
    /// Reads `callers.keys`.
    fileprivate init?(reading value: ConfigurationReader.Value, apps known: [String]?) {
        let section = value.section()
        let roleItems = section.required("roles")?.list()
        if roleItems?.isEmpty == true { section.optional("roles")?.report("a caller without a role may do nothing") }
        let roles = roleItems?.compactMap { $0.choice(Role.byName) }
        let apps = section.required("apps")?.appGrant(among: known)
        let longest = section.optional("max_lifetime")?.milliseconds(in: 60_000...3660 * 86_400_000)
        section.done()
        guard let roles, let apps else { return nil }
        self.init(roles: Set(roles), apps: apps.only, longestLifetime: longest ?? 365 * 86_400_000)
    }
}

extension KeyRule {
    fileprivate func mayVerify(for app: AppID) -> Bool { roles.contains(.verify) && apps?.contains(app) != false }
}

/// The apps that a caller may name.
private struct AppGrant {
    /// `nil`: every app.
    let only: Set<AppID>?
}

extension Role {
    fileprivate static let byName: KeyValuePairs<String, Role> = [
        "verify": .verify, "provision": .provision, "devices": .devices, "operate": .operate, "observe": .observe,
        "fleet": .fleet, "enrol": .enrol,
    ]
}

extension ConfigurationReader.Value {
    /// What the audit log calls the caller: 1 to 64 bytes.
    fileprivate func callerName() -> String? {
        guard let text = text() else { return nil }
        guard (1...64).contains(text.utf8.count) else {
            report("a caller's name has 1 to 64 bytes, have \(text.utf8.count)")
            return nil
        }
        guard !text.utf8.starts(with: KeyRule.prefix.utf8) else {
            report("a name that begins with \"\(KeyRule.prefix)\" is that of a caller with an API key")
            return nil
        }
        return text
    }

    /// A user's id, or the name of a user of this machine. Names are looked up when the file is read.
    fileprivate func unixUser() -> UInt32? {
        let most = UInt32.max - 1
        guard let text = text() else { return nil }
        if let number = UInt32(text), number <= most { return number }
        // A number that is none of a user's is not meant as a name.
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), first != UInt8(ascii: "-"),
            first != UInt8(ascii: "+")
        else {
            report("want a number from 0 to \(most), or the name of a user, have \"\(text.prefix(60))\"")
            return nil
        }
        guard let account = UnixAccount(named: text), account.userID <= most else {
            report("this machine has no user \"\(text.prefix(60))\"; want a name that it knows, or a number")
            return nil
        }
        return account.userID
    }

    /// A name as it may stand in a certificate.
    fileprivate func certificateName(_ want: String, _ isGood: (String) -> Bool) -> String? {
        guard let text = text() else { return nil }
        let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, (1...SubjectAlternativeNames.nameLimit).contains(text.utf8.count), isGood(text) else {
            report("want \(want), have \"\(text.prefix(60))\"")
            return nil
        }
        return text
    }

    /// `all`, or a list of apps.
    ///
    /// - Parameter known: the apps of the configuration; `nil`: they are not known.
    fileprivate func appGrant(among known: [String]?) -> AppGrant? {
        if isWord("all") { return AppGrant(only: nil) }
        let apps = (list(wanted: "all, or a list of apps") ?? []).compactMap { $0.appID(among: known) }
        return isList ? AppGrant(only: Set(apps)) : nil
    }

    /// The name of one of the apps.
    ///
    /// - Parameter known: the apps of the configuration; `nil`: they are not known.
    func appID(among known: [String]?) -> AppID? {
        guard let text = text() else { return nil }
        guard let known else {
            if AppID(text) == nil { report("an app's name is of the form [a-z0-9._-]{1,64}, have \"\(text.prefix(64))\"") }
            return AppID(text)
        }
        // A name that no app can have is reported where the app stands.
        guard !known.contains(text), !known.contains(where: { AppID($0) == nil && $0.lowercased() == text }) else {
            return AppID(text)
        }
        let hint = text == "all" || text == "*" ? "; for all apps write \"apps: all\"" : Spelling.hint(for: text, among: known)
        report("there is no app \"\(text.prefix(64))\"" + hint)
        return nil
    }
}

extension Configuration {
    /// Warns of callers that no address of `listen` lets in.
    static func warnOfUnreachable(_ callers: CallerDirectory, _ listen: [RPCAddress], in value: ConfigurationReader.Value) {
        guard !listen.isEmpty else { return }
        let hasSocket = listen.contains { if case .unix = $0 { true } else { false } }
        let hasTLS = listen.contains { if case .tls = $0 { true } else { false } }
        let near = Set(callers.unixUsers.map(\.caller))
        let far = callers.certificateHolders
        if callers.loopback != nil || callers.network != nil, listen.allSatisfy({ if case .tls = $0 { true } else { false } }) {
            value.warn(
                .callerUnreachable,
                "callers that are not recognised may call, but not over TLS, and nothing listens at a Unix socket or without TLS"
            )
        }
        for name in near.union(far).sorted() where !(hasSocket && near.contains(name)) && !(hasTLS && far.contains(name)) {
            value.warn(
                .callerUnreachable,
                near.contains(name)
                    ? "\(name) is known by its user, and nothing listens at a Unix socket"
                    : "\(name) is known by its certificate, and nothing listens with TLS")
        }
    }

    /// Warns of apps that no caller may ask verdicts for.
    static func warnOfUnused(_ apps: [AppConfiguration], _ callers: CallerDirectory, in value: ConfigurationReader.Value) {
        guard callers.loopback == nil, callers.network == nil, !callers.known.isEmpty else { return }
        for app in apps
        where !callers.known.contains(where: { $0.caller.roles.contains(.verify) && $0.caller.may(use: app.id) })
            && callers.keys?.mayVerify(for: app.id) != true
        {
            value.warn(.appWithoutCaller, "no caller with the role verify may name the app \(app.id)")
        }
    }
}
