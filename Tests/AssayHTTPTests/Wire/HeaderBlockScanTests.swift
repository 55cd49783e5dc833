import NIOCore
import NIOHPACK
import Testing

@testable import AssayHTTP

@Suite("Header blocks that change the table")
struct HeaderBlockScanTests {
    private func changesTable(_ block: [UInt8]) -> Bool? { block.withUnsafeBytes(HeaderBlockScan.changesTable) }

    @Test("a field that is added and a new size change it; fields of the table and literals that are not added do not")
    func kinds() {
        #expect(changesTable([]) == false)
        #expect(changesTable([0x82, 0x86, 0xff, 0x00]) == false)
        #expect(changesTable([0x82, 0x41, 1, 0x61]) == true)
        #expect(changesTable([0x40, 1, 0x61, 1, 0x62]) == true)
        #expect(changesTable([0x20]) == true && changesTable([0x3f, 0xe1, 0x1f]) == true)
        // By the number of a name, with a name, never to be added; then a long number of a name.
        #expect(changesTable([0x04, 1, 0x61, 0x00, 1, 0x61, 1, 0x62, 0x14, 1, 0x61, 0x0f, 0x10, 1, 0x61]) == false)
        // The bytes of a text are no fields.
        #expect(changesTable([0x04, 2, 0x40, 0x20]) == false)
    }

    @Test("a block that ends too early, or has a number that is too long, cannot be read")
    func unreadable() {
        let whole: [UInt8] = [0x00, 1, 0x61, 0x7f, 1] + Array(repeating: 0x61, count: 128)
        #expect(changesTable(whole) == false)
        for count in 1..<whole.count { #expect(changesTable(Array(whole.prefix(count))) == nil) }
        #expect(changesTable([0x04, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]) == nil)
        #expect(changesTable([0xff]) == nil)
    }

    @Test("what a compressor writes is read as what its table says")
    func compressor() throws {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        func block(_ fields: HPACKHeaders) throws -> [UInt8] {
            var bytes = ByteBuffer()
            try encoder.encode(headers: fields, to: &bytes)
            return Array(bytes.readableBytesView)
        }
        let head: HPACKHeaders = [
            ":method": "POST", ":path": "/a", "te": "trailers", "x-long": String(repeating: "v", count: 300),
        ]
        #expect(changesTable(try block(head)) == true)
        #expect(changesTable(try block(head)) == false)
        var secret = head
        secret.add(name: "authorization", value: "Bearer secret", indexing: .neverIndexed)
        #expect(changesTable(try block(secret)) == false)
    }
}
