import AssayCore
import Foundation
import Testing

#if os(Linux)
    @Suite("Background threads")
    struct BackgroundThreadTests {
        private struct Failure: Error, Equatable { let number: Int }

        @Test("Work runs on a thread of its own name, behind those that answer requests")
        func niceness() async throws {
            let (name, niceness) = try await BackgroundThread.run("assay-long-work") {
                (try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8), Self.niceness())
            }
            #expect(name == "assay-long-work\n" && niceness == 10)
        }

        @Test("No thread of the pool steps back with it: those that go on after the work are as they were")
        func others() async throws {
            for _ in 0..<20 {
                await withTaskGroup(of: Int32.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            _ = await BackgroundThread.run("assay-long-work") { number }
                            return Self.niceness()
                        }
                    }
                    for await niceness in group { #expect(niceness == 0) }
                }
            }
        }

        @Test("What the work throws comes back as it is")
        func failure() async {
            await #expect(throws: Failure(number: 7)) {
                try await BackgroundThread.run("assay-long-work") { () throws(Failure) -> Int in throw Failure(number: 7) }
            }
        }

        /// That of the calling thread.
        private static func niceness() -> Int32 {
            let thread: Int32 = 0  // PRIO_PROCESS
            return getpriority(thread, 0)
        }
    }
#endif
