import Foundation
import Testing

@testable import AssayPostgres
@testable import AssayTesting

@Suite("The server of these tests", .needsServer)
struct TestServerTests {
    @Test("A server that was killed leaves no memory and no folder behind")
    func killed() async throws {
        let server = try TestServer.ownServer()
        let memory = try #require(server.segment)
        var state = shmid_ds()
        #expect(shmctl(memory, IPC_STAT, &state) == 0 && state.shm_nattch > 0)
        #expect(try server.rows("SHOW dynamic_shared_memory_type") == [["mmap"]], "in the folder")
        try server.killAll()
        // Processes that were killed take their time to end.
        try await eventually("none has it") { shmctl(memory, IPC_STAT, &state) == 0 && state.shm_nattch == 0 }
        server.remove()
        #expect(shmctl(memory, IPC_STAT, &state) == -1, "and it is not left")
        #expect(!FileManager.default.fileExists(atPath: server.folder.path))
    }
}
