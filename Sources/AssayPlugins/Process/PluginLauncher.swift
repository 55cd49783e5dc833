import CPluginProcess
import Foundation
import Glibc

/// `assay-plugin-launcher` as a file of this machine.
package enum PluginLauncher {
    /// Checks that it can be run, and that only root or the daemon's user can have written it.
    ///
    /// - Parameter owner: the daemon's user.
    package static func check(_ path: String, owner: UInt32 = geteuid()) throws(PluginFileError) {
        let file = try TrustedFile(path, owner: owner)
        guard !file.isFolder else { throw PluginFileError(path, "is a folder, and not the launcher") }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & 0o111 != 0 else {
            throw PluginFileError(path, "is not executable: chmod 0755 \(path)")
        }
    }

    /// What this kernel, and the service or container that this process is in, let the launcher enforce: the launcher tries it on itself.
    /// Waits for it at most 5 s.
    ///
    /// - Throws: if it does not answer.
    package static func support(_ path: String) throws(PluginFileError) -> [LauncherReport.Step] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["--print-support"]
        process.environment = [:]
        let output = Pipe()
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, output, FileHandle.nullDevice
        )
        do { try process.run() } catch { throw PluginFileError(path, "cannot be started: \(error.localizedDescription)") }
        let watch = DispatchWorkItem { if process.isRunning { process.terminate() } }
        DispatchQueue.global().asyncAfter(deadline: .now() + 5, execute: watch)
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        watch.cancel()
        let steps = LauncherReport(parsing: Array(bytes)).steps
        guard steps.first?.name == "launcher" else {
            throw PluginFileError(path, "does not say what it supports (--print-support): is it assay-plugin-launcher?")
        }
        return steps
    }
}

/// Hides the memory and environment of this process from other processes of its user, plugins among them, whatever sandbox the kernel
/// offers. It writes no core files from then on.
package func forbidDumps() { _ = assay_forbid_dumps() }
