import Foundation
import Synchronization

/// Kills the remaining children when the tests end in any way: a shell reads their process ids from a pipe, and acts when the
/// other end is closed.
final class ChildReaper: Sendable {
    static let shared = ChildReaper()

    private static let script = """
        trap '' HUP INT TERM
        pids=" "
        while read -r word pid; do
            case $word in
                begin) pids="$pids$pid " ;;
                end) pids="${pids%% $pid *} ${pids#* $pid }" ;;
            esac
        done
        for pid in $pids; do kill -9 "$pid"; done
        """
    private let pipe: Mutex<FileHandle?>

    private init() {
        let pipe = Pipe()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script]
        shell.standardInput = pipe
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        // No child may inherit the end whose closing is the signal.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let started = (try? shell.run()) != nil
        self.pipe = Mutex(started ? pipe.fileHandleForWriting : nil)
    }

    func begin(_ pid: Int32) { say("begin \(pid)") }
    func end(_ pid: Int32) { say("end \(pid)") }

    private func say(_ line: String) {
        pipe.withLock { try? $0?.write(contentsOf: Data((line + "\n").utf8)) }
    }
}
