import Foundation

/// A shell that runs a command after this process has ended in any way, so that nothing that it started outlives it.
final class Reaper: Sendable {
    private let pipe: FileHandle

    init(_ command: String) throws {
        let shell = Process()
        let pipe = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", #"trap "" HUP INT TERM; read -r word; [ "$word" = over ] || { \#(command); }"#]
        shell.standardInput = pipe
        self.pipe = pipe.fileHandleForWriting
        _ = fcntl(self.pipe.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try shell.run()
    }

    /// There is nothing left to end.
    func release() {
        try? pipe.write(contentsOf: Data("over\n".utf8))
        try? pipe.close()
    }
}
