import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssaySchemes
import Foundation

/// Configurations for real devices, beside which `assayd dev` does not start: what is tried out must not be taken for what protects.
enum RealConfiguration {
    /// `EX_CONFIG` of `sysexits.h`.
    static let exitStatus: Int32 = 78

    /// Throws if a configuration is found that may be for real devices.
    ///
    /// - Parameters:
    ///   - file: the configuration that the command line names.
    ///   - usual: where others are looked for.
    static func refuse(named file: String?, usual: [String] = ["assayd.yaml", usualConfiguration]) throws(CommandFailure) {
        for path in (file.map { [$0] } ?? []) + usual {
            guard let why = obstacle(at: path) else { continue }
            throw CommandFailure(
                "real_configuration",
                "\(path) \(why): 'assayd dev' trusts virtual devices, and does not start beside it. Start it in another folder, "
                    + "machine or container; the daemon of that file is started by: assayd --config \(path)",
                exitStatus: exitStatus)
        }
    }

    /// Why the file may be a configuration for real devices; `nil` if it is not there, or is for virtual ones alone.
    private static func obstacle(at path: String) -> String? {
        guard access(path, F_OK) == 0 else {
            // Nothing is there, unless a folder on the way shuts this user out.
            return errno == EACCES ? "may not be looked at by this user, and may be a configuration for real devices" : nil
        }
        if isSample(path) { return nil }
        do throws(ConfigurationError) {
            let real = try Configuration.load(path).live.apps.filter { !$0.acceptsSimulated }.map(\.id.text)
            guard !real.isEmpty else { return nil }
            let apps = real.count == 1 ? "the app \(real[0])" : "the apps \(real.joined(separator: ", "))"
            return "has \(apps) for real devices"
        } catch {
            let problem = error.problems.first?.message ?? ""
            return "cannot be read (\(problem)), and may be a configuration for real devices"
        }
    }

    /// Whether the file is the sample that the package puts there, as it was installed.
    private static func isSample(_ path: String) -> Bool {
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return false }
        let prefix = program.deletingLastPathComponent().deletingLastPathComponent().path
        return FileManager.default.contentsEqual(
            atPath: path, andPath: prefix + "/share/doc/assay/examples/systemd/assayd.yaml")
    }
}
