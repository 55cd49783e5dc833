import CPluginProcess
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
        let steps = LauncherReport(parsing: try output(of: path, ["--print-support"])).steps
        guard steps.first?.name == "launcher" else {
            throw PluginFileError(path, "does not say what it supports (--print-support): is it assay-plugin-launcher?")
        }
        return steps
    }

    /// What a program writes to its standard output: at most 64 KiB, for at most 5 s; then it is killed.
    private static func output(of path: String, _ arguments: [String]) throws(PluginFileError) -> [UInt8] {
        func failed(_ error: Int32) -> PluginFileError {
            PluginFileError(path, "cannot be started: \(PluginFileError.text(error))")
        }
        var pipe: [CInt] = [-1, -1]
        guard assay_log_pipe(&pipe) == 0 else { throw failed(errno) }
        defer { Glibc.close(pipe[0]) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        var error = assay_plugin_spawn(&process, path, &words, &environment, [null, pipe[1], null], 3)
        // A launcher that was just installed is busy as long as a process that began meanwhile has its descriptor.
        for _ in 0..<50 where error == ETXTBSY {
            usleep(10_000)
            error = assay_plugin_spawn(&process, path, &words, &environment, [null, pipe[1], null], 3)
        }
        Glibc.close(pipe[1])
        Glibc.close(null)
        guard error == 0 else { throw failed(error) }
        let bytes = read(pipe[0], until: ContinuousClock.now + .seconds(5))
        // It has not been waited for, so its number is still its own.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return bytes
    }

    private static func read(_ descriptor: CInt, until end: ContinuousClock.Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { break }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, Int32(rest / .milliseconds(1)) + 1) >= 0 || errno == EINTR else { break }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}

/// Hides the memory and environment of this process from other processes of its user, plugins among them, whatever sandbox the kernel
/// offers. It writes no core files from then on.
package func forbidDumps() { _ = assay_forbid_dumps() }
