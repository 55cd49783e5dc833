import AssayService
import Testing

@testable import AssayHost

@Suite("Disk space")
struct DiskSpaceTests {
    @Test("is that of the file system that holds the ledger, and unknown where there is no file")
    func measured() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x", to: "ledger.db")
        let space = try #require(DiskSpace(holding: path))
        #expect(space.capacity > 0 && space.free <= space.capacity)
        #expect(DiskSpace(holding: folder.file("nowhere")) == nil)
    }
}
