import AssayCertificates
import AssayCore
import AssayEncoding
import AssayFiles
package import AssayPlugins
package import AssaySchemes
import Foundation

extension PluginEntry {
    /// One file of the catalog as it was read, with the places of its keys.
    package struct Draft {
        package let text: String
        package let reader: ConfigurationReader
        /// `nil` if it lacks what no entry can be without; the reader knows the problems.
        package let entry: PluginEntry?
        private let top: ConfigurationReader.Section

        /// Reads one file. Relative paths in it are relative to its folder.
        ///
        /// - Parameters:
        ///   - apps: the apps of the configuration; `nil`: they are not known, and any are taken.
        ///   - isPinned: whether the manifest must be there.
        /// - Throws: if the file cannot be read at all. All other problems are the reader's.
        package init(reading file: String, apps: Set<String>?, isPinned: Bool = true) throws(ConfigurationError) {
            let text = try ConfigurationReader.text(of: file, isRegular: true)
            try self.init(text: YAMLText.withoutMark(text), file: file, apps: apps, isPinned: isPinned)
        }

        /// Reads the text of a file.
        package init(text: String, file: String, apps: Set<String>?, isPinned: Bool = true) throws(ConfigurationError) {
            self.text = text
            reader = ConfigurationReader(file: file) { PluginEntry.keys }
            top = try reader.open(text)
            entry = PluginEntry(reading: top, file: file, apps: apps, isPinned: isPinned)
            top.done()
            checkPowers([])
        }

        private var openPaths: [String] { entry.map { $0.sandbox.readable + $0.sandbox.executable } ?? [] }

        /// Reports a problem at the first of the keys that is set.
        func report(_ problem: String, at keys: String...) {
            (keys.lazy.compactMap { top.optional($0) }.first ?? top.value).report(problem)
        }

        /// Reports folders to read that hold what no plugin may know.
        package func checkPowers(_ secrets: [(path: String, what: String)]) {
            for folder in openPaths {
                for problem in Self.problems(with: folder, secrets)
                where !reader.problems.contains(where: { $0.message == problem }) { report(problem, at: "powers") }
            }
        }

        /// Why no plugin may read a file or folder; empty if one may.
        package static func problems(with folder: String, _ secrets: [(path: String, what: String)]) -> [String] {
            guard !showsProcesses(folder) else {
                return [
                    "the plugin could look into other processes through \(folder); want single files of it, such as /proc/cpuinfo"
                ]
            }
            let open = resolved(folder)
            return secrets.filter { contains(open, resolved($0.path)) }.map { path, what in
                "the plugin could read \(what) (\(path)), which \(folder) contains; want narrower folders"
            }
        }

        /// Whether a path is the kernel's list of processes, or one of them. `/proc/self` would be the launcher, which becomes the plugin.
        private static func showsProcesses(_ path: String) -> Bool {
            let parts = path.utf8.split(separator: UInt8(ascii: "/"))
            guard parts.first?.elementsEqual("proc".utf8) == true else { return false }
            guard parts.count > 1 else { return true }
            return parts[1].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }

        private static func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

        private static func contains(_ folder: String, _ path: String) -> Bool {
            folder == "/" || path == folder || path.hasPrefix(folder + "/")
        }
    }
}

extension PluginEntry {
    /// All keys that an entry may have.
    fileprivate static let keys = ConfigurationKeys { reader in
        _ = PluginEntry(reading: reader.emptySection, file: "/", apps: nil, isPinned: false)
    }

    /// As in a plugin's answer to Describe.
    private static let formatLimit = 16
    private static let anchorLimit = 64
    private static let pemLimit = 256 << 10

    private init?(reading top: ConfigurationReader.Section, file: String, apps: Set<String>?, isPinned: Bool) {
        let files = ConfigurationFiles(folder: (file as NSString).deletingLastPathComponent)
        let name = top.required("name")?.pluginName()
        let id = top.optional("id").map { $0.pluginName() } ?? name
        let command = top.required("command")?.plainPath()
        let folder = top.optional("folder").flatMap { $0.folderPath(files) }
        let pins = top.optional("manifest")
        let hasPins = pins?.isNothing == false
        let manifest = PluginManifest(reading: hasPins ? pins : nil, folder: folder)
        if isPinned, !hasPins {
            let problem = "no file is pinned: run assay plugin pin \(file)"
            if let pins { pins.report(problem) } else { top.absent(["manifest"], problem) }
        }
        let appIDs = top.required("apps").map { Self.apps($0, apps) }
        let formats = top.optional("formats").map(Self.formats)
        let observes = top.optional("observes")?.boolean() ?? false
        if top.optional("formats") == nil, !observes, top.optional("observes")?.isWord("false") ?? true {
            top.absent(["formats", "observes"], "the plugin would do nothing: want \"formats\" or \"observes: true\"")
        }
        var entry = PluginEntry(
            id: id ?? "", name: name ?? "", file: file, command: command ?? "", folder: folder,
            manifest: manifest, formats: formats ?? [], apps: appIDs ?? [])
        entry.observes = observes
        entry.readRole(top)
        entry.arguments = top.optional("arguments")?.list()?.compactMap { $0.argument(hasFolder: folder != nil) } ?? []
        entry.services = Set(
            top.optional("services")?.list()?.compactMap { $0.choice(HostService.words) } ?? [])
        entry.anchors = top.optional("anchors").map { Self.anchors($0, files) } ?? []
        if let value = top.optional("configuration") {
            entry.configuration = PluginConfiguration(reading: value, folder: files.folder)
        }
        if let isRequired = top.optional("required")?.boolean() { entry.isRequired = isRequired }
        if let value = top.optional("limits") { entry.readLimits(value.section()) }
        if let value = top.optional("powers") { entry.sandbox.readPowers(value.section()) }
        if let value = top.optional("restart") { entry.restart.read(value.section()) }
        if let weaker = top.optional("sandbox")?.choice(["enforce": false, "accept_weaker": true]) {
            entry.sandbox.acceptsWeaker = weaker
        }
        guard name != nil, id != nil, command != nil else { return nil }
        self = entry
    }

    private mutating func readRole(_ top: ConfigurationReader.Section) {
        if let word = top.optional("role")?.choice(among: Role.allCases.map(\.rawValue)), let role = Role(rawValue: word) {
            self.role = role
        }
        let levels = Assurance.allCases.filter { $0 > .none }
        if let word = top.optional("assurance_ceiling")?.choice(among: levels.map(\.name)) {
            ceiling = levels.first { $0.name == word } ?? ceiling
        }
        let replaces = top.optional("replaces_builtin")
        if let flag = replaces?.boolean() { replacesBuiltIn = flag }
        if replacesBuiltIn, role != .primary {
            replaces?.report("only a primary plugin can replace a verifier; want \"role: primary\"")
        }
        if replacesBuiltIn, !formats.contains(where: EvidenceFormat.described.contains) {
            replaces?.report("none of the formats is built in, so there is nothing to replace")
        }
        if formats.isEmpty { top.optional("role")?.report("a plugin without formats judges nothing and has no role") }
    }

    private mutating func readLimits(_ section: ConfigurationReader.Section) {
        limits.deadline = section.optional("deadline")?.duration(in: 10...60_000) ?? limits.deadline
        limits.grace = section.optional("grace")?.duration(in: 10...60_000) ?? limits.grace
        limits.concurrency = section.optional("concurrency")?.integer(in: 1...1024) ?? limits.concurrency
        limits.processes = section.optional("processes")?.integer(in: 1...64) ?? limits.processes
        limits.queue = section.optional("queue")?.integer(in: 1...1_000_000) ?? limits.queue
        limits.queueBytes = section.optional("queue_bytes")?.bytes(in: 1 << 20...1 << 32) ?? limits.queueBytes
        if let bytes = section.optional("memory")?.bytes(in: 16 << 20...1 << 40) { sandbox.limits.addressSpace = UInt64(bytes) }
        if let time = section.optional("cpu")?.milliseconds(in: 1000...366 * 86_400_000) {
            sandbox.limits.processorSeconds = UInt64(time / 1000)
        }
        if let count = section.optional("open_files")?.integer(in: 8...65_536) { sandbox.limits.descriptors = UInt64(count) }
        // A library that handles calls on threads has one for each call at a time.
        sandbox.limits.threads =
            section.optional("threads")?.integer(in: 1...65_536) ?? max(sandbox.limits.threads, limits.concurrency + 64)
        if let nice = section.optional("nice")?.integer(in: 0...19) { sandbox.limits.nice = nice }
        if let bytes = section.optional("file_size")?.bytes(in: 0...1 << 40) { sandbox.limits.fileSize = UInt64(bytes) }
        section.done()
    }

    // MARK: Lists

    private static func apps(_ value: ConfigurationReader.Value, _ known: Set<String>?) -> [AppID] {
        var apps: [AppID] = []
        for value in value.filledList(orReport: "want at least one app") ?? [] {
            guard let app = value.appID(among: known.map { $0.sorted() }) else { continue }
            if apps.contains(app) { value.report("\"\(app)\" stands twice") } else { apps.append(app) }
        }
        return apps
    }

    private static func formats(_ value: ConfigurationReader.Value) -> [EvidenceFormat] {
        var formats: [EvidenceFormat] = []
        let list =
            value.filledList(orReport: "want at least one format; leave the key out for a plugin that observes only") ?? []
        if list.count > formatLimit { value.report("\(list.count) formats, the limit is \(formatLimit)") }
        for value in list {
            guard let text = value.name(more: "_.-", "a format") else { continue }
            let format = EvidenceFormat(rawValue: text)
            if format == .fleetDevice {
                value.report("\(format) is no evidence: devices of a fleet are registered without a verdict")
            } else if formats.contains(format) {
                value.report("\"\(format)\" stands twice")
            } else {
                formats.append(format)
            }
        }
        return formats
    }

    private static func anchors(_ value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> [[UInt8]] {
        var anchors: [[UInt8]] = []
        for value in value.list() ?? [] {
            guard let path = value.path(files) else { continue }
            do {
                let bytes = try BoundedFile.read(path, atMost: pemLimit, isRegular: true)
                let certificates = try PEM.decode(String(decoding: bytes, as: UTF8.self))
                for der in certificates { _ = try Certificate(der: der[...]) }
                anchors += certificates
            } catch let error as BoundedFileError {
                value.report("the file \(path) \(error)")
            } catch {
                value.report("\(path): \((error as? Rejection)?.detail ?? "\(error)")")
            }
        }
        if anchors.count > anchorLimit { value.report("\(anchors.count) certificates, the limit is \(anchorLimit)") }
        return anchors
    }
}

extension PluginEntry.Restart {
    fileprivate mutating func read(_ section: ConfigurationReader.Section) {
        firstDelay = section.optional("first_delay")?.duration(in: 10...3_600_000) ?? firstDelay
        longestDelay = section.optional("longest_delay")?.duration(in: 10...86_400_000) ?? max(longestDelay, firstDelay)
        healthyAfter = section.optional("healthy_after")?.duration(in: 1000...86_400_000) ?? healthyAfter
        deaths = section.optional("deaths")?.integer(in: 1...1000) ?? deaths
        window = section.optional("window")?.duration(in: 1000...86_400_000) ?? window
        openFor = section.optional("open_for")?.duration(in: 100...86_400_000) ?? openFor
        if longestDelay < firstDelay {
            section.optional("longest_delay")?.report("want at least \"first_delay\"")
        }
        section.done()
    }
}

extension Sandbox {
    fileprivate mutating func readPowers(_ section: ConfigurationReader.Section) {
        if let value = section.optional("network") {
            if value.isList {
                ports = Self.ports(value)
            } else {
                let network = value.section()
                ports = network.optional("ports").map(Self.ports) ?? []
                allowsUDP = network.optional("udp")?.boolean() ?? false
                network.done()
            }
        }
        readable = section.optional("read")?.list()?.compactMap { $0.plainPath() } ?? []
        executable = section.optional("execute")?.list()?.compactMap { $0.plainPath() } ?? []
        allowsProcesses = section.optional("processes")?.boolean() ?? false
        section.done()
    }

    private static func ports(_ value: ConfigurationReader.Value) -> [UInt16] {
        (value.list() ?? []).compactMap { $0.integer(in: 1...65_535).flatMap { UInt16(exactly: $0) } }
    }
}

extension HostService {
    fileprivate static let words: KeyValuePairs<String, HostService> = [
        "find_device": .findDevice, "find_used": .findUsed, "get_anchors": .getAnchors,
        "find_fleet_device": .findFleetDevice, "derive_key": .deriveKey, "flag_device": .flagDevice,
    ]
}

extension PluginConfiguration {
    fileprivate init(reading value: ConfigurationReader.Value, folder: String) {
        self.init(folder: folder)
        // A key without a value is an empty configuration.
        guard let json = value.json(), json != .null else { return }
        guard case .object = json else {
            value.report("want a section with the plugin's keys")
            return
        }
        let text = json.text
        guard text.count <= Self.sizeLimit else {
            value.report("\(text.count) bytes as JSON, the limit is \(Self.sizeLimit)")
            return
        }
        self.init(json: text, folder: folder)
    }
}

extension PluginManifest {
    /// SHA-256 by path: absolute, or relative to the entry's `folder`.
    fileprivate init(reading value: ConfigurationReader.Value?, folder: String?) {
        self.init([:])
        for (path, value) in value?.members() ?? [] {
            guard let digest = value.digest() else { continue }
            guard path.hasPrefix("/") || folder != nil else {
                value.report("want an absolute path; only files of \"folder\" have paths relative to it")
                continue
            }
            guard Self.isPlain(path.hasPrefix("/") ? String(path.dropFirst()) : path) else {
                value.report("want a path without \".\", \"..\" and empty parts")
                continue
            }
            let whole = path.hasPrefix("/") ? path : (folder ?? "") + "/" + path
            if files.updateValue(digest, forKey: whole) != nil { value.report("\(whole) stands twice") }
        }
    }

    /// Whether each part of a path is the name of a file or folder.
    static func isPlain(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) && !$0.contains(0)
        }
    }
}

extension ConfigurationReader.Value {
    /// A plugin's name or id.
    fileprivate func pluginName() -> String? { name(more: "-", "a name") }

    fileprivate func name(more: String, _ what: String) -> String? {
        guard let text = text() else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: more.utf8.contains(byte)
            }
        }
        guard isName, (1...64).contains(text.utf8.count) else {
            report("\(what) is of the form [a-z0-9\(more)]{1,64}, have \"\(text.prefix(80))\"")
            return nil
        }
        return text
    }

    /// An absolute path without `.`, `..` and empty parts.
    fileprivate func plainPath() -> String? {
        guard let text = text() else { return nil }
        guard text.hasPrefix("/") else {
            report("want an absolute path, have \"\(text.prefix(60))\"")
            return nil
        }
        guard text == "/" || PluginManifest.isPlain(String(text.dropFirst())) else {
            report("want a path without \".\", \"..\" and empty parts, have \"\(text.prefix(60))\"")
            return nil
        }
        return text
    }

    fileprivate func folderPath(_ files: ConfigurationFiles) -> String? {
        guard let text = text() else { return nil }
        let path = files.resolve(text)
        guard path.hasPrefix("/"), PluginManifest.isPlain(String(path.dropFirst())) else {
            report("want the path of a folder without \".\", \"..\" and empty parts, have \"\(text.prefix(60))\"")
            return nil
        }
        return path
    }

    fileprivate func argument(hasFolder: Bool) -> String? {
        // The program may replace variables itself.
        guard let text = text(isVerbatim: true) else { return nil }
        guard !text.utf8.contains(0) else {
            report("an argument has no NUL")
            return nil
        }
        guard hasFolder || !text.contains("{folder}") else {
            report("the entry has no \"folder\", whose copy {folder} stands for")
            return nil
        }
        return text
    }

    fileprivate func duration(in range: ClosedRange<Int64>) -> Duration? {
        milliseconds(in: range).map { .milliseconds($0) }
    }
}
