import Foundation

/// Lets this process exit when it is interrupted or terminated, so that the daemons and servers that it started end too (`atexit`).
enum Interruption {
    /// A signal's handler may only write to a pipe; a thread reads there.
    nonisolated(unsafe) private static var pipe: [Int32] = [0, 0]  // written once, before the handlers are set

    static func exits() {
        guard Foundation.pipe(&pipe) == 0 else { return }
        let end = pipe[0]
        Thread.detachNewThread {
            var number: UInt8 = 0
            if read(end, &number, 1) == 1 { exit(128 + Int32(number)) }
        }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Interruption.pipe[1], &byte, 1)
            }
        }
    }
}
