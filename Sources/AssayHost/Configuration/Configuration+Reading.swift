import AssayCertificates
import AssayCore
import AssayRPC
import AssayService
import Foundation
import Logging

extension Configuration {
    /// Reads a file. Relative paths in it are relative to its folder.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConfigurationError(file: path, "cannot be read: \(error.localizedDescription)")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try parse(String(decoding: data, as: UTF8.self), file: path, folder: folder)
    }

    /// Reads the text of a file. Every problem is reported, each with its line.
    package static func parse(_ text: String, file: String, folder: String) throws(ConfigurationError) -> Configuration {
        let reader = ConfigurationReader(file: file)
        let top = try reader.open(text)
        let files = ConfigurationFiles(folder: folder)
        let listen = top.required("listen").map { readListen($0, files) } ?? []
        let store = top.required("store").flatMap { readStore($0, files) }
        let appNames = top.optional("apps")?.names ?? []
        let callers = readCallers(top.required("callers"), apps: appNames)
        let limits = readLimits(top.optional("limits"))
        let testRoots = readTestRoots(top.optional("trust"), files)
        let log = readLog(top.optional("log"))
        let apps = top.required("apps").map { readApps($0, files) } ?? []
        top.done()
        let overTCP = listen.contains { if case .tcp = $0 { true } else { false } }
        if overTCP, callers.loopback == nil {
            top.optional("listen")?.report(
                "nobody may call over TCP unless \"callers.loopback_demo\" is set; listen on a Unix socket")
        }
        try reader.finish()
        guard let store else { throw ConfigurationError(file: file, "\"store\" is missing") }
        var configuration = Configuration(
            listen: listen, store: store, callers: callers, limits: limits, apps: apps, testRoots: testRoots, log: log)
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
        return hash.finalize()
    }

    private static func readListen(_ value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> [RPCAddress] {
        let addresses = (value.list() ?? []).compactMap { item -> RPCAddress? in
            let section = item.section()
            let (tcp, unix, mode) = (section.optional("tcp"), section.optional("unix"), section.optional("mode"))
            section.done()
            switch (tcp, unix) {
            case (let tcp?, nil):
                mode?.report("a TCP address has no mode")
                return tcp.loopbackAddress()
            case (nil, let unix?):
                return unix.text().map { .unix(path: files.resolve($0), mode: mode?.fileMode() ?? 0o600) }
            default:
                item.report("want either \"tcp\" or \"unix\"")
                return nil
            }
        }
        if addresses.isEmpty { value.report("want at least one address") }
        return addresses
    }

    private static func readStore(_ value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> Store? {
        let section = value.section()
        let path = section.required("path")?.text().map(files.resolve)
        let keyFile = section.optional("key_file")?.text().map(files.resolve)
        section.done()
        return path.map { Store(path: $0, keyFile: keyFile ?? $0 + ".key") }
    }

    private static func readCallers(_ value: ConfigurationReader.Value?, apps known: [String]) -> CallerDirectory {
        guard let section = value?.section() else { return CallerDirectory(byUserID: [:]) }
        let demo = section.optional("loopback_demo")?.boolean() ?? false
        var byUserID: [UInt32: Caller] = [:]
        for item in section.optional("users")?.list() ?? [] {
            let user = item.section()
            let name = user.required("name")?.text()
            let userID = user.required("uid")?.integer(in: 0...Int(UInt32.max - 1)).flatMap(UInt32.init(exactly:))
            let roles = user.required("roles")?.list()?.compactMap { $0.choice(Role.byName) }
            let apps = user.optional("apps")?.list()?.compactMap { $0.appID(among: known) }
            user.done()
            guard let name, let userID, let roles else { continue }
            if byUserID.updateValue(Caller(name: name, roles: Set(roles), apps: apps.map(Set.init)), forKey: userID) != nil {
                item.report("two callers have the uid \(userID)")
            }
        }
        section.done()
        if !demo, section.optional("users")?.isEmptyList ?? true {
            value?.report("nobody may call: want \"users\", or \"loopback_demo\"")
        }
        return CallerDirectory(byUserID: byUserID, loopback: demo ? CallerDirectory.demo : nil)
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
        let roots = section.optional("test_roots")?.list()?.compactMap { files.anchor($0, simulated: true) } ?? []
        section.done()
        return roots
    }

    private static func readApps(_ value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> [App] {
        let apps = (value.members() ?? []).compactMap { name, value -> App? in
            guard let id = AppID(name) else {
                value.report("an app's name is of the form [a-z0-9._-]{1,64}")
                return nil
            }
            return App(id: id, reading: value, files)
        }
        if apps.isEmpty { value.report("want at least one app") }
        return apps
    }
}

extension Role {
    fileprivate static let byName: KeyValuePairs<String, Role> = [
        "verify": .verify, "provision": .provision, "devices": .devices, "operate": .operate, "observe": .observe,
    ]
}

extension Logger.Level {
    fileprivate static let byName: KeyValuePairs<String, Logger.Level> = [
        "trace": .trace, "debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error,
        "critical": .critical,
    ]
}

extension ConfigurationReader.Value {
    /// The name of one of the apps.
    fileprivate func appID(among known: [String]) -> AppID? {
        guard let text = text() else { return nil }
        guard known.contains(text), let id = AppID(text) else {
            let meant = Spelling.nearest(to: text, among: known).map { "; did you mean \"\($0)\"?" }
            report("there is no app \"\(text.prefix(64))\"" + (meant ?? ""))
            return nil
        }
        return id
    }

    /// `host:port` on loopback: nothing listens beyond it without TLS and caller authentication.
    fileprivate func loopbackAddress() -> RPCAddress? {
        guard let text = text() else { return nil }
        guard let address = RPCAddress(parsing: "tcp:" + text) else {
            report("want host:port, have \"\(text)\"")
            return nil
        }
        guard case .tcp(let host, _) = address, ["127.0.0.1", "::1", "localhost"].contains(host) else {
            report("\"\(text)\" is not on loopback; beyond it the daemon would need TLS and caller authentication")
            return nil
        }
        return address
    }

    /// An octal file mode such as `0660`.
    fileprivate func fileMode() -> UInt16? {
        guard let text = text(), let mode = UInt16(text, radix: 8), mode <= 0o777 else {
            report("want an octal file mode such as 0660")
            return nil
        }
        return mode
    }
}
