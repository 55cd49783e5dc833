import AssayCore
import Glibc

/// A plugin that is examined: an entry of the catalog, or what stands for one, with its files in memory.
package struct ExaminedPlugin: Sendable {
    /// Its name, formats and services are the plugin's own words, unless ``isCatalogued``.
    package var entry: PluginEntry
    /// Whether the entry is one of a catalog, so that the plugin must be what it says.
    package let isCatalogued: Bool
    let launcher: String
    let user: Sandbox.User?
    let image: PluginImage
    /// Whether what the sandbox would forbid is allowed and logged.
    var explains = false
    /// ``PluginExamination/Options/timeLimit``.
    var timeLimit: Duration?
    /// Whether the entry's configuration is an author's or operator's.
    private(set) var hasConfiguration: Bool

    /// An entry of a catalog, with its manifest.
    ///
    /// - Parameters:
    ///   - launcher: the path of `assay-plugin-launcher`.
    ///   - copies: a folder for the private copy of the plugin's folder.
    ///   - user: the user that the plugin runs as, if this process is root's.
    package init(
        _ entry: PluginEntry, launcher: String, copies: String, user: Sandbox.User?
    ) throws(PluginFileError) {
        try self.init(entry, isCatalogued: true, launcher, copies, user)
    }

    /// An executable, or a folder with a `main.py`, as its author has it: nothing is pinned, owners are not judged, and the sandbox opens
    /// what the executable's interpreters need.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - readable: files and folders that the plugin may read besides.
    ///   - model: an entry of a catalog whose powers, limits and configuration it has.
    package init(
        path: String, readable: [String] = [], like model: PluginEntry? = nil, launcher: String, copies: String,
        user: Sandbox.User?
    ) throws(PluginFileError) {
        let path = try Self.real(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw PluginFileError(path, opening: errno) }
        var entry = PluginEntry(
            id: "plugin", name: "plugin", file: path, command: path, manifest: PluginManifest([:]), formats: [], apps: [])
        if status.st_mode & S_IFMT == S_IFDIR {
            guard access(path + "/main.py", R_OK) == 0 else {
                throw PluginFileError(
                    path, "is a folder without main.py: want an executable, or the folder of a plugin in Python")
            }
            (entry.command, entry.folder) = (try Self.real("/usr/bin/python3"), path)
            entry.arguments = ["-I", "-B", "{folder}/main.py"]
        }
        if let model {
            (entry.sandbox, entry.limits, entry.configuration) = (model.sandbox, model.limits, model.configuration)
            (entry.apps, entry.anchors) = (model.apps, model.anchors)
        }
        if let interpreter = try SealedExecutable(copying: entry.command, owner: nil).interpreter {
            entry.sandbox.executable.append(interpreter)
            entry.sandbox.readable += Self.libraries
        }
        entry.sandbox.readable += readable
        entry.manifest = try PluginManifest.current(of: entry, owner: nil)
        try self.init(entry, isCatalogued: false, launcher, copies, user)
        hasConfiguration = model != nil
    }

    private init(
        _ entry: PluginEntry, isCatalogued: Bool, _ launcher: String, _ copies: String, _ user: Sandbox.User?
    ) throws(PluginFileError) {
        (self.entry, self.isCatalogued, self.launcher, self.user) = (entry, isCatalogued, launcher, user)
        hasConfiguration = isCatalogued && !entry.configuration.isEmpty
        image = try PluginImage(entry, copies: copies, user: user, owner: isCatalogued ? geteuid() : nil)
    }

    /// Where libraries are; those folders that this machine has.
    private static var libraries: [String] {
        ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"].filter { access($0, F_OK) == 0 }
    }

    private static func real(_ path: String) throws(PluginFileError) -> String {
        guard let resolved = realpath(path, nil) else { throw PluginFileError(path, opening: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    var launch: Launch {
        var launch = image.launch(by: launcher, as: user)
        launch.explains = explains
        return launch
    }

    /// After this time the daemon ends a process that has not answered a call.
    var callTime: Duration { entry.limits.deadline + entry.limits.grace }

    /// How long an answer may take that needs no work, and an end.
    var patience: Duration { timeLimit ?? max(.seconds(5), callTime) }

    /// The apps that Configure names.
    func apps(_ cases: [ExaminationCase]) -> [AppID] {
        guard entry.apps.isEmpty else { return entry.apps }
        return Array(Set(cases.map(\.request.app))).sorted { $0.text < $1.text }
    }
}
