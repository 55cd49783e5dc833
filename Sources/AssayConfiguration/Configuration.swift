import AssayCore
package import AssaySchemes

/// The daemon's configuration, read from YAML; `docs/configuration.md` and the pages below it describe every key.
///
/// It has two parts of different types: what a running daemon cannot change, from which its state is made, and what it follows at a
/// reload.
package struct Configuration: Sendable {
    package var fixed: FixedConfiguration
    package var live: LiveConfiguration
    /// What reading found that is no error, each with its line.
    let notes: [ConfigurationFinding]
    /// The line of each key that is set, by the way to it, e.g. `apps.camera.app_attest.counter`.
    package let lines: [String: Int]
    /// The files and sockets that the file names, by the path to each key.
    package let paths: [String: String]

    /// A finding about the value under a key, with the line at which it stands.
    package func finding(_ code: ConfigurationFinding.Code, at path: String, _ message: String) -> ConfigurationFinding {
        ConfigurationFinding(code, line: lines[path], path: path, message)
    }
}
