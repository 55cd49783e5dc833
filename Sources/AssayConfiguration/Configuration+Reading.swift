import AssayAPI
import AssayCertificates
package import AssayCore
import AssayFramedRPC
import AssayHTTP
import AssayListening
import AssayPlugins
import AssayRPC
package import AssaySchemes
import AssayTraceExport
import AssayVendors
import Foundation
import Logging

extension Configuration {
    /// Reads a file. Relative paths in it are relative to its folder.
    ///
    /// - Parameter schemes: the platforms whose sections are read.
    package static func load(
        _ path: String, at now: Timestamp = SystemClock().now(), schemes: [any AttestationScheme.Type] = builtInSchemes
    ) throws(ConfigurationError) -> Configuration {
        let text = try ConfigurationReader.text(of: path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try parse(text, file: path, folder: folder, at: now, schemes: schemes)
    }

    /// Reads the text of a file. Every problem is reported, each with its line.
    ///
    /// - Parameters:
    ///   - now: certificates of the daemon's own are held against it.
    ///   - schemes: the platforms whose sections are read.
    package static func parse(
        _ text: String, file: String, folder: String, at now: Timestamp = SystemClock().now(),
        schemes: [any AttestationScheme.Type] = builtInSchemes
    ) throws(ConfigurationError) -> Configuration {
        let reader = ConfigurationReader(file: file) { keys(schemes) }
        let text = YAMLText.withoutMark(text)
        return try read(try reader.open(text), text, file: file, folder: folder, at: now, schemes)
    }

    /// All keys that a configuration may have.
    package static func keys(_ schemes: [any AttestationScheme.Type] = builtInSchemes) -> ConfigurationKeys {
        ConfigurationKeys { reader in
            // Nothing is found in it, so that nothing is made of it.
            _ = try? read(reader.emptySection, "", file: "", folder: "/", at: .distantPast, schemes)
        }
    }

    private static func read(
        _ top: ConfigurationReader.Section, _ text: String, file: String, folder: String, at now: Timestamp,
        _ schemes: [any AttestationScheme.Type]
    ) throws(ConfigurationError) -> Configuration {
        let reader = top.value.reader
        let files = ConfigurationFiles(folder: folder)
        let appsWithoutName = top.optional("apps").flatMap { appWithoutName(in: $0, schemes) }
        for (other, remedy) in Self.otherWords { top.explain(other, remedy) }
        let appNames = appsWithoutName == nil ? top.optional("apps")?.names : nil
        let store = top.required("store").flatMap { FixedConfiguration.Store(reading: $0, files, at: now) }
        let callers = CallerDirectory(reading: top.required("callers"), apps: appNames)
        // Whether callers could come is said only where all of them are known.
        let knowsCallers =
            top.optional("callers") != nil && !reader.problems.contains { $0.path.utf8.starts(with: "callers".utf8) }
        let listen = top.required("listen").map { readListen($0, files, callers, knowsCallers: knowsCallers) } ?? []
        let tls = top.optional("tls").flatMap { TLSSettings.read($0, files, at: now) }
        let (limits, httpLimits, rates) = readLimits(top.optional("limits"))
        let http = HTTPSettings(reading: top.optional("http"))
        let testRoots = readTestRoots(top.optional("trust"), files)
        let log = LogSettings(reading: top.optional("log"))
        let operate = OperateSection(reading: top.optional("operate"), files, callers, knowsCallers: knowsCallers)
        let traces = TraceExportSettings(reading: top.optional("traces"), files)
        let verdicts = VerdictSettings(reading: top.optional("verdicts"), files, ledger: store?.ownFiles ?? "")
        let webhooks = WebhookSettings.read(top.optional("webhooks"), files, apps: appNames, callers)
        let reappraisal = ReappraisalSettings(reading: top.optional("reappraisal"))
        var vendors = VendorSettings(reading: top.optional("vendors"), files)
        let services = VendorSections(apple: top.optional("apple"), google: top.optional("google"), files, schemes)
        let lists = RevocationLists(
            reading: top.optional("feeds"), files, of: schemes.flatMap { $0.revocationLists }, ledger: store?.ownFiles ?? "")
        let shared = services.shared(files, lists)
        let provisioning = top.optional("provisioning").map { ProvisioningSettings(reading: $0, files) }
        let results = top.optional("results").flatMap { ResultSettings(reading: $0, files) }
        let pluginSection = top.optional("plugins")?.section()
        let plugins = PluginSettings(reading: pluginSection, files, store: store?.ownFiles)
        let catalog = readCatalog(pluginSection, files, appNames, store, plugins)
        appsWithoutName?.report("the app's name is missing: this is a key of an app, and stands below its name")
        let apps =
            top.required("apps").map { value in
                appsWithoutName == nil ? readApps(value, shared, schemes, provisioning, catalog.entries) : []
            } ?? []
        vendors.makeRoom(for: apps.count(where: \.asksWhileCallerWaits), top.optional("vendors"))
        if (listen.addresses + operate.listen).contains(where: { if case .tls = $0 { true } else { false } }),
            top.optional("tls") == nil
        {
            top.absent(["tls"], "\"tls\" is missing: what listens with TLS shows a certificate")
        }
        top.done()
        reportOverlaps(of: operate.listen, with: listen.addresses, in: top.optional("operate"))
        if let value = top.optional("apps") {
            LiveConfiguration.requireOwnRoots(of: apps, testRoots, in: value, top.optional("trust"), schemes)
        }
        if let value = top.optional("callers") { warnOfUnreachable(callers, listen.addresses + operate.listen, in: value) }
        if listen.speaking(.http).isEmpty {
            for value in [top.optional("http"), top.optional("limits")?.at("http")] { value?.warnOfUnusedHTTP() }
        }
        if let value = top.optional("apps") { warnOfUnused(apps, callers, in: value) }
        ResultSettings.check(top.optional("results"), results, listen, apps, in: top.optional("apps"))
        if let store { reader.requireOwnFiles(for: store, lists, verdicts, configuration: file) }
        try reader.finish()
        guard let store else { throw ConfigurationError(file: file, "\"store\" is missing") }
        let fixed = FixedConfiguration(
            listen: listen, store: store, limits: limits, httpLimits: httpLimits, http: http, servesTLS: tls != nil,
            plugins: plugins, operate: operate.listen, operateWithoutCertificates: operate.withoutCertificates)
        var live = LiveConfiguration(
            callers: callers, rates: rates, apps: apps, testRoots: testRoots, tls: tls?.settings, log: log,
            operate: operate.settings, traces: traces, verdicts: verdicts, webhooks: webhooks, reappraisal: reappraisal,
            vendors: vendors, appleTeams: services.appleTeams,
            revocationLists: lists, provisioning: provisioning, results: results, plugins: catalog.entries,
            schemes: schemes, digest: [])
        live.digest = live.digest(of: text, catalog)
        let lines = reader.lines
        let tlsNotes = (tls?.warnings ?? []).map {
            ConfigurationFinding($0.code, line: lines[$0.key], path: $0.key, $0.text)
        }
        return Configuration(
            fixed: fixed, live: live, notes: tlsNotes + reader.findings, lines: lines,
            paths: Dictionary(reader.paths.map { ($0.key, $0.path) }, uniquingKeysWith: { first, _ in first }),
            catalogLines: catalog.lines)
    }

    /// Names that sections have in other programs.
    private static let otherWords: KeyValuePairs<String, String> = [
        "metrics": "\"operate\" has the address of metrics and probes",
        "health": "\"operate\" has the address of metrics and probes",
        "audit": "the audit log is in the ledger, and \"store\" has \"keep_audit\"", "logging": "the section is called \"log\"",
        "tracing": "the section is called \"traces\"", "database": "the section is called \"store\"",
        "server": "the section is called \"listen\"",
        "include": "one file has the whole configuration; only plugins have files of their own (\"plugins.catalog\")",
    ]

    /// The limits of the transport, and the rates, which alone are live.
    private static func readLimits(_ value: ConfigurationReader.Value?) -> (RPCLimits, HTTPLimits, RateRules) {
        var limits = RPCLimits()
        guard let section = value?.section() else { return (limits, HTTPLimits(), RateRules()) }
        func set<T>(_ field: WritableKeyPath<RPCLimits, T>, _ new: T?) {
            if let new { limits[keyPath: field] = new }
        }
        let seconds: (String) -> Duration? = {
            section.optional($0)?.milliseconds(in: 100...86_400_000).map { .milliseconds($0) }
        }
        set(\.maxFrameBytes, section.optional("max_frame_bytes")?.bytes(in: 65_536...67_108_864))
        set(\.maxConnections, section.optional("max_connections")?.integer(in: 1...1_000_000))
        set(\.maxInFlightPerConnection, section.optional("max_calls_per_connection")?.integer(in: 1...65_536))
        set(\.maxInFlightTotal, section.optional("max_calls")?.integer(in: 1...1_000_000))
        // What an operator raises for all is raised for each.
        limits.maxInFlightPerCaller = max(1, limits.maxInFlightTotal / 2)
        set(\.maxInFlightPerCaller, section.optional("max_calls_per_caller")?.integer(in: 1...1_000_000))
        set(\.maxWait, seconds("max_wait"))
        set(\.handshakeTimeout, seconds("handshake_timeout"))
        set(\.idleTimeout, seconds("idle_timeout"))
        set(\.writeTimeout, seconds("write_timeout"))
        set(\.drainTimeout, seconds("drain_timeout"))
        let http = HTTPLimits(reading: section.optional("http"), beside: limits)
        let rates = RateRules(reading: section.optional("rates"))
        section.done()
        return (limits, http, rates)
    }

    private static func readTestRoots(_ value: ConfigurationReader.Value?, _ files: ConfigurationFiles) -> [TrustAnchor] {
        guard let section = value?.section() else { return [] }
        let list = section.optional("test_roots")
        let roots = list?.list()?.compactMap { files.anchor($0, simulated: true) } ?? []
        if !roots.isEmpty {
            list?.warn(
                .testRoots,
                "\(roots.count) test root\(roots.count == 1 ? " is" : "s are") trusted: holders of the keys can make devices, and "
                    + "verdicts through them are simulated")
        }
        section.done()
        return roots
    }

    private static func readCatalog(
        _ section: ConfigurationReader.Section?, _ files: ConfigurationFiles, _ apps: [String]?,
        _ store: FixedConfiguration.Store?, _ settings: PluginSettings
    ) -> PluginCatalog {
        guard let section else { return PluginCatalog() }
        let named = section.value.reader.paths.map { (key: $0.key, path: $0.path) }
        let secrets = closedFiles(named, store, settings)
        let catalog = section.optional("catalog").map {
            PluginCatalog(reading: $0, files, apps: apps.map { Set($0) }, secrets: secrets)
        }
        section.done()
        return catalog ?? PluginCatalog()
    }

    /// What no plugin may read: keys and other files that the configuration names and that are closed to others, each with a word for it.
    private static func closedFiles(
        _ named: [(key: String, path: String)], _ store: FixedConfiguration.Store?, _ settings: PluginSettings
    ) -> [(path: String, what: String)] {
        let closed = named.filter { file in
            UnixFile(at: file.path).map { $0.kind == .file && $0.permissions.mode & 0o007 == 0 } ?? false
        }
        return (store?.secrets ?? []) + [(settings.state, "the folder \"plugins.state\"")]
            + closed.filter { file in store?.secrets.contains { $0.path == file.path } != true }.map {
                ($0.path, "the file of \"\($0.key)\"")
            }
    }

    /// What no plugin of this daemon may read.
    package var closedFiles: [(path: String, what: String)] {
        Self.closedFiles(
            paths.map { (key: $0.key, path: $0.value) }.sorted { $0.key < $1.key }, fixed.store, fixed.plugins)
    }

    /// The first key of an app that stands where its name should.
    private static func appWithoutName(
        in value: ConfigurationReader.Value, _ schemes: [any AttestationScheme.Type]
    ) -> ConfigurationReader.Value? {
        let usual = Set(schemes.compactMap { $0.sectionKey } + ["challenge"])
        return value.names?.filter { usual.contains($0) }.compactMap { value.at($0) }.first { section in
            guard let names = section.names, !names.isEmpty else { return false }
            // An app may have such a name too: then it has an app's keys.
            let known = value.reader.keys.keys(of: ["apps", ConfigurationKeys.name])
            return !names.contains(where: known.contains)
        }
    }

    private static func readApps(
        _ value: ConfigurationReader.Value, _ shared: SharedSettings, _ schemes: [any AttestationScheme.Type],
        _ provisioning: ProvisioningSettings?, _ plugins: [PluginEntry]
    ) -> [AppConfiguration] {
        guard let members = value.members() else { return [] }
        if members.isEmpty { value.report("want at least one app") }
        return members.compactMap { name, value -> AppConfiguration? in
            guard let id = AppID(name) else {
                let lower = name.lowercased().replacing(" ", with: "-")
                value.report(
                    "an app's name is of the form [a-z0-9._-]{1,64}, have \"\(name.prefix(64))\""
                        + (AppID(lower) == nil ? "" : "; did you mean \"\(lower)\"?"))
                return nil
            }
            return AppConfiguration(
                id: id, reading: value, shared, schemes, provisioning, plugins)
        }
    }
}

extension LiveConfiguration {
    fileprivate func digest(of text: String, _ catalog: PluginCatalog) -> [UInt8] {
        var hash = FieldDigest("assay.configuration.v1")
        hash.append(text)
        for (file, text) in catalog.texts {
            hash.append(URL(fileURLWithPath: file).lastPathComponent)
            hash.append(text)
        }
        for entry in plugins {
            hash.append(entry.configuration.secretsDigest)
            for anchor in entry.anchors { hash.append(anchor) }
        }
        for anchor in anchors {
            hash.append(anchor.publicKeySHA256)
            hash.append(anchor.certificateSHA256)
        }
        hash.append(vendors.extraRoots)
        if let traces {
            hash.append(traces.roots)
            for header in traces.headers { hash.append(header.name + ": " + header.value) }
        }
        for webhook in webhooks { hash.append(webhook.secretsDigest) }
        for anchor in provisioning?.anchors ?? [] { hash.append(anchor.certificateSHA256) }
        for content in apps.flatMap(\.allSections).flatMap(\.section.contentDigests) { hash.append(content) }
        return hash.finalize()
    }
}
