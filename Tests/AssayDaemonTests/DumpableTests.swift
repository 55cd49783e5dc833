import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Secrecy of the daemon's process")
    struct DumpableTests {
        @Test("No other process of the daemon's user can read its environment, memory or descriptors")
        func notDumpable() async throws {
            let home = try TestHome()
            let isRoot = geteuid() == 0
            if isRoot {
                // Root reads everything: the daemon and the reader run as another user.
                for path in [home.folder.path]
                    + (try FileManager.default.contentsOfDirectory(atPath: home.folder.path)).map(home.folder.file)
                {
                    #expect(chown(path, 65534, 65534) == 0)
                }
            }
            let become = isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : ["/usr/bin/env"]
            let child = try Child(
                become[0], become.dropFirst() + [try Child.built("assayd"), "--config", home.configuration],
                environment: ["ASSAY_TEST_SECRET": "s3cret"])
            try await eventually("the daemon says so") { child.err.contains("listening") }
            for name in ["environ", "mem", "maps"] {
                let read = try await Child(become[0], become.dropFirst() + ["/bin/cat", "/proc/\(child.pid)/\(name)"]).ending()
                #expect(
                    read.status == 1 && !read.out.contains("s3cret") && read.err.contains("Permission denied"),
                    "\(name): \(read)")
            }
            let listed = try await Child(become[0], become.dropFirst() + ["/bin/ls", "/proc/\(child.pid)/fd"]).ending()
            #expect(listed.status != 0 && listed.out.isEmpty, "\(listed)")
            // The same of a process that does not hide: the test would see it.
            let open = try Child(
                become[0], become.dropFirst() + ["/bin/sleep", "60"], environment: ["ASSAY_TEST_SECRET": "s3cret"])
            var seen = ""
            try await eventually("the daemon says so") {
                seen = try await Child(become[0], become.dropFirst() + ["/bin/cat", "/proc/\(open.pid)/environ"]).ending().out
                return seen.contains("s3cret")
            }
            open.signal(SIGKILL)
            child.signal(SIGTERM)
            #expect(await child.ending().status == 0)
        }
    }
}
