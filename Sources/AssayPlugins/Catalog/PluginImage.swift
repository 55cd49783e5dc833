import AssayCore

/// What an entry of the catalog runs: the files of its manifest, checked, and the executable copied to memory. What was hashed is what
/// runs.
package final class PluginImage: Sendable {
    private let entry: PluginEntry
    private let executable: SealedExecutable

    /// Checks the files of the manifest.
    ///
    /// - Parameter copies: the folder for private copies of plugins in interpreted languages.
    /// - Throws: the first file that cannot be used: which, what was expected, and what was found.
    package init(_ entry: PluginEntry, copies: String) throws(PluginFileError) {
        self.entry = entry
        executable = try SealedExecutable(copying: entry.command)
        guard let expected = entry.manifest.files[entry.command] else {
            throw PluginFileError(entry.command, "is not in the manifest: run assay plugin pin \(entry.file)")
        }
        guard expected == executable.sha256 else {
            throw PluginFileError(
                entry.command,
                "has the SHA-256 \(Hex.encode(executable.sha256)), and the manifest says \(Hex.encode(expected)): if the change is "
                    + "wanted, run assay plugin pin \(entry.file)")
        }
    }

    /// How it is started. Valid while the image is held.
    package func launch(by launcher: String, as user: Sandbox.User?) -> Launch {
        var sandbox = entry.sandbox
        sandbox.user = user
        return Launch(
            launcher: launcher, executable: executable.descriptor, arguments: [entry.name] + entry.arguments, sandbox: sandbox)
    }
}
