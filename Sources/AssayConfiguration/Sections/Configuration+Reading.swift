import AssayAPI
import AssayCertificates
package import AssayCore
import AssayFramedRPC
import AssayRPC
package import AssaySchemes
import AssayVendors
import Foundation
import Logging
import PlayIntegrity

extension Configuration {
    /// Reads a file. Relative paths in it are relative to its folder.
    package static func load(
        _ path: String, at now: Timestamp = SystemClock().now()
    ) throws(ConfigurationError) -> Configuration {
        let bytes: [UInt8]
        do throws(BoundedFileProblem) {
            bytes = try BoundedFile.read(path, atMost: ConfigurationReader.sizeLimit)
        } catch {
            throw ConfigurationError(file: path, error.description)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            throw ConfigurationError(file: path, isUTF16 ? "the file is UTF-16; save it as UTF-8" : "the file is not UTF-8")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try parse(text, file: path, folder: folder, at: now)
    }

    /// Reads the text of a file. Every problem is reported, each with its line.
    ///
    /// - Parameter now: certificates of the daemon's own are held against it.
    package static func parse(
        _ text: String, file: String, folder: String, at now: Timestamp = SystemClock().now()
    ) throws(ConfigurationError) -> Configuration {
        let reader = ConfigurationReader(file: file)
        let text = YAMLText.withoutMark(text)
        let top = try reader.open(text)
        let files = ConfigurationFiles(folder: folder)
        let store = top.required("store").flatMap { readStore($0, files) }
        let callers = CallerDirectory(reading: top.required("callers"), apps: top.optional("apps")?.names ?? [])
        let listen = top.required("listen").map { readListen($0, files, callers) } ?? []
        let tls = top.optional("tls").flatMap { readTLS($0, files, at: now) }
        let limits = readLimits(top.optional("limits"))
        let testRoots = readTestRoots(top.optional("trust"), files)
        let log = readLog(top.optional("log"))
        var vendors = VendorSettings(reading: top.optional("vendors"), files)
        let apple = Apple(reading: top.optional("apple"), files)
        let google = Google(reading: top.optional("google"))
        let feeds = readFeeds(top.optional("feeds"), files)
        let apps = top.required("apps").map { readApps($0, files, apple) } ?? []
        vendors.makeRoom(for: apps.count(where: \.asksVendors), top.optional("vendors"))
        top.done()
        if tls == nil, listen.contains(where: { if case .tls = $0 { true } else { false } }), top.optional("tls") == nil {
            top.value.report("\"tls\" is missing: what listens with TLS shows a certificate")
        }
        if let value = top.optional("apps") { requireOwnRoots(of: apps, testRoots, in: value, top.optional("trust")) }
        if let value = top.optional("callers") { warnOfUnreachable(callers, listen, in: value) }
        if let value = top.optional("apps") { warnOfUnused(apps, callers, in: value) }
        if let store { reader.requireOwnFiles(for: store, feeds: feeds, configuration: file) }
        try reader.finish()
        guard let store else { throw ConfigurationError(file: file, "\"store\" is missing") }
        var configuration = Configuration(
            listen: listen, store: store, callers: callers, limits: limits, apps: apps, testRoots: testRoots,
            tls: tls?.settings, tlsWarnings: tls?.warnings ?? [], log: log, vendors: vendors, apple: apple, google: google,
            feeds: feeds)
        (configuration.readingFindings, configuration.lines) = (reader.findings, reader.lines)
        configuration.paths = Dictionary(reader.paths.map { ($0.key, $0.path) }, uniquingKeysWith: { first, _ in first })
        configuration.digest = configuration.digest(of: text)
        return configuration
    }

    private func digest(of text: String) -> [UInt8] {
        var hash = FieldDigest("assay.configuration.v1")
        hash.append(text)
        for anchor in anchors {
            hash.append(anchor.publicKeySHA256)
            hash.append(anchor.certificateSHA256)
        }
        hash.append(vendors.extraRoots)
        for keySet in apps.flatMap({ $0.playIntegrity?.keys ?? [] }) { hash.append(keySet.fingerprint) }
        return hash.finalize()
    }

    private static func readStore(_ value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> Store? {
        let section = value.section()
        let path = section.required("path")?.path(files)
        let keyFile = section.optional("key_file")?.path(files)
        let (retention, disk) = (RetentionRule(reading: section), DiskSpaceRule(reading: section))
        section.done()
        return path.map { Store(path: $0, keyFile: keyFile ?? $0 + ".key", retention: retention, disk: disk) }
    }

    private static func readLimits(_ value: ConfigurationReader.Value?) -> RPCLimits {
        var limits = RPCLimits()
        guard let section = value?.section() else { return limits }
        func set<T>(_ field: WritableKeyPath<RPCLimits, T>, _ new: T?) {
            if let new { limits[keyPath: field] = new }
        }
        let seconds: (String) -> Duration? = {
            section.optional($0)?.milliseconds(in: 100...86_400_000).map { .milliseconds($0) }
        }
        set(\.maxFrameBytes, section.optional("max_frame_bytes")?.integer(in: 65_536...67_108_864))
        set(\.maxConnections, section.optional("max_connections")?.integer(in: 1...1_000_000))
        set(\.maxInFlightPerConnection, section.optional("max_calls_per_connection")?.integer(in: 1...65_536))
        set(\.maxInFlightTotal, section.optional("max_calls")?.integer(in: 1...1_000_000))
        // What an operator raises for all is raised for each.
        limits.maxInFlightPerCaller = max(1, limits.maxInFlightTotal / 2)
        set(\.maxInFlightPerCaller, section.optional("max_calls_per_caller")?.integer(in: 1...1_000_000))
        set(\.handshakeTimeout, seconds("handshake_timeout"))
        set(\.idleTimeout, seconds("idle_timeout"))
        set(\.writeTimeout, seconds("write_timeout"))
        set(\.drainTimeout, seconds("drain_timeout"))
        section.done()
        return limits
    }

    private static func readLog(_ value: ConfigurationReader.Value?) -> LogSettings {
        var settings = LogSettings()
        guard let section = value?.section() else { return settings }
        settings.level = section.optional("level")?.choice(Logger.Level.byName) ?? settings.level
        settings.format = section.optional("format")?.choice(["text": .text, "json": .json]) ?? settings.format
        section.done()
        return settings
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

    private static func readApps(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, _ apple: Apple
    ) -> [App] {
        let apps = (value.members() ?? []).compactMap { name, value -> App? in
            guard let id = AppID(name) else {
                value.report("an app's name is of the form [a-z0-9._-]{1,64}")
                return nil
            }
            return App(id: id, reading: value, files, apple)
        }
        if apps.isEmpty { value.report("want at least one app") }
        return apps
    }
}

extension Logger.Level {
    fileprivate static let byName: KeyValuePairs<String, Logger.Level> = [
        "trace": .trace, "debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error,
        "critical": .critical,
    ]
}
