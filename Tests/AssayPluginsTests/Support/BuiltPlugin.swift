import Foundation
import Testing

@testable import AssayPlugins

/// What `make plugins` builds.
enum BuiltPlugin {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static var launcher: String { root.appending(path: ".build/plugins/assay-plugin-launcher").path() }
    static var template: String { root.appending(path: "plugins/template-c/.build/example-hmac").path() }
    static var hostile: String { root.appending(path: "plugins/sdk/c/.build/hostile").path() }

    /// Whether plugins are built, and the sandbox can be enforced on this machine.
    static let runs: Bool = {
        guard [launcher, template, hostile].allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }) else {
            return false
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: launcher)
        process.arguments = ["--print-support"]
        let output = Pipe()
        process.standardOutput = output
        guard (try? process.run()) != nil else { return false }
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n")
        return lines.contains("=seccomp allow-list") && lines.contains(where: { $0.hasPrefix("=landlock ") })
    }()

    /// Enough for a dynamic executable of this machine.
    static var sandbox: Sandbox {
        var sandbox = Sandbox()
        sandbox.readable = ["/lib", "/usr/lib", "/etc/ld.so.cache"].filter { FileManager.default.fileExists(atPath: $0) }
        sandbox.executable = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].filter {
            FileManager.default.fileExists(atPath: $0)
        }
        if getuid() == 0 { sandbox.user = Sandbox.User(id: 65534, group: 65534) }
        return sandbox
    }

    /// How the template is started; keep the executable as long as the launch is used.
    static func launch(_ executable: SealedExecutable, arguments: [String] = ["example-hmac"]) -> Launch {
        Launch(launcher: launcher, executable: executable.descriptor, arguments: arguments, sandbox: sandbox)
    }
}

/// Suites that start processes.
@Suite(
    "Processes of plugins", .serialized,
    .enabled(if: BuiltPlugin.runs, "plugins are not built (make plugins), or the sandbox cannot be enforced here"))
struct ProcessTests {}
