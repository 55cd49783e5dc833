import AssayCore
import AssayRPC
import AssayTesting
import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Gzip")
struct GzipTests {
    private static func inflated(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
        try Gzip.inflate(ByteBuffer(bytes: bytes), limit: limit)
    }

    /// A pseudo-random text: it compresses a little.
    private static func content(_ count: Int) -> [UInt8] {
        var numbers = SeededNumbers(seed: 7)
        return (0..<count).map { _ in UInt8.random(in: 97...110, using: &numbers) }
    }

    @Test("a member that another implementation wrote is inflated")
    func vector() throws {
        let member = try #require(Base64.standard.decode("H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA=="))
        let content = try Self.inflated(member)
        #expect(content == Array("hello".utf8))
    }

    @Test(
        "what was compressed comes back, for blocks of each kind and contents of many sizes", arguments: [0, 1, 6, 9] as [CInt])
    func roundTrips(level: CInt) throws {
        for count in [0, 1, 255, 256, 257, 511, 512, 513, 40_000, 300_000] {
            let content = Self.content(count)
            let back = try Self.inflated(try Gzipped.bytes(content, level: level))
            #expect(back == content)
        }
    }

    @Test("a part of a longer buffer is inflated as it is alone")
    func part() throws {
        let member = try Gzipped.bytes([1, 2, 3])
        var buffer = ByteBuffer(bytes: [9, 9] + member + [9])
        buffer.moveReaderIndex(forwardBy: 2)
        buffer.moveWriterIndex(to: buffer.writerIndex - 1)
        let content = try Gzip.inflate(buffer, limit: 3)
        #expect(content == [1, 2, 3])
    }

    @Test("content of exactly the limit is inflated, and one byte more is refused", arguments: [0, 1, 255, 256, 257, 70_000])
    func limit(count: Int) throws {
        for content in [Self.content(count), Array(repeating: 0, count: count)] {
            let member = try Gzipped.bytes(content)
            let back = try Self.inflated(member, limit: count)
            #expect(back == content)
            guard count > 0 else { continue }
            #expect(throws: RPCError.messageTooLarge) { try Self.inflated(member, limit: count - 1) }
            #expect(throws: RPCError.messageTooLarge) { try Self.inflated(member, limit: 0) }
        }
    }

    @Test("10 MiB in 10 KiB are refused by a limit of 1 MiB, and nothing behind the limit is inflated")
    func bomb() throws {
        var bomb = try Gzipped.bytes(Array(repeating: 0, count: 10 << 20), level: 9)
        #expect(bomb.count < 11_000)
        #expect(throws: RPCError.messageTooLarge) { try Self.inflated(bomb) }
        // The second half is not read: it could not be inflated.
        for index in (bomb.count / 2)..<bomb.count { bomb[index] = 0xFF }
        #expect(throws: RPCError.notGzip) { try Self.inflated(bomb, limit: 20 << 20) }
        #expect(throws: RPCError.messageTooLarge) { try Self.inflated(bomb) }
    }

    @Test("every strict prefix of a member is refused", arguments: [0, 6] as [CInt])
    func prefixes(level: CInt) throws {
        let content = Self.content(300)
        let member = try Gzipped.bytes(content, level: level)
        for count in 0..<member.count {
            #expect(throws: RPCError.notGzip, "\(count) bytes") { try Self.inflated(Array(member.prefix(count))) }
            // The limit is that of the content: what is missing is the trailer.
            #expect(throws: RPCError.notGzip, "\(count) bytes") { try Self.inflated(Array(member.prefix(count)), limit: 300) }
        }
    }

    @Test("bytes behind a member are refused, and so is a second member")
    func trailing() throws {
        let member = try Gzipped.bytes([1, 2, 3])
        #expect(throws: RPCError.notGzip) { try Self.inflated(member + [0]) }
        #expect(throws: RPCError.notGzip) { try Self.inflated(member + member) }
    }

    @Test("a changed checksum, length, or magic number is refused")
    func changed() throws {
        let member = try Gzipped.bytes(Self.content(100))
        for index in [0, 1, 2, member.count - 8, member.count - 5, member.count - 4, member.count - 1] {
            var changed = member
            changed[index] ^= 1
            #expect(throws: RPCError.notGzip, "byte \(index)") { try Self.inflated(changed) }
        }
    }

    @Test("text, zlib's own format, and raw DEFLATE are refused")
    func others() {
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x06, 0x2C, 0x02, 0x15]
        for bytes in [Array("{\"app\":\"photos\"}".utf8), zlib, Array(zlib[2..<9]), Array(repeating: 0, count: 64)] {
            #expect(throws: RPCError.notGzip) { try Self.inflated(bytes) }
        }
    }
}
