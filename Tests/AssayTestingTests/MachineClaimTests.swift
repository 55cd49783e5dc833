import AssayTesting
import Foundation
import Testing

@Suite("Claims of the machine")
struct MachineClaimTests {
    @Test("What is claimed cannot be claimed again, and another name can")
    func twice() {
        let name = UUID().uuidString
        #expect(MachineClaim.take(name))
        #expect(!MachineClaim.take(name))
        #expect(MachineClaim.take(name + "1"))
    }

    @Test("Tests in Python do not get a port that a test in Swift has")
    func python() throws {
        let port = try PostgresServer.freePort()
        let repository = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        for (number, isFree) in [(port, false), (UInt16.random(in: 40_000..<60_000), true)] {
            let words = "sys.exit(free_ports._claim(\(number)) != \(isFree ? "True" : "False"))"
            try TestProgram.run(
                "/usr/bin/python3",
                ["-B", "-c", "import sys; sys.path.insert(0, '\(repository)/dev'); import free_ports; \(words)"])
        }
    }
}
