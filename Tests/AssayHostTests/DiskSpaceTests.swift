import AssayService
import Testing

@testable import AssayHost

@Suite("Disk space")
struct DiskSpaceTests {
    @Test("The space is that of the ledger's file system, and unknown without a file")
    func measured() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x", to: "ledger.db")
        let space = try #require(DiskSpace(holding: path))
        #expect(space.capacity > 0 && space.free <= space.capacity)
        #expect(DiskSpace(holding: folder.file("nowhere")) == nil)
    }
}
