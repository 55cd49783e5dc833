import AssayCore
import AssayRPC
import AssayTesting
import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Base64 of gRPC-Web")
struct TextBase64Tests {
    private static func decoded(_ pieces: [ArraySlice<UInt8>]) throws -> [UInt8] {
        var decoder = TextBase64Decoder()
        var bytes: [UInt8] = []
        for piece in pieces {
            var chunk = ByteBuffer(bytes: piece)
            bytes += try decoder.decode(&chunk).readableBytesView
            #expect(chunk.readableBytes == 0)
        }
        try decoder.finish()
        return bytes
    }

    private static func decoded(_ text: String) throws -> [UInt8] { try decoded([Array(text.utf8)[...]]) }

    private static func random(_ count: Int) -> [UInt8] {
        var numbers = SeededNumbers(seed: UInt64(count))
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    }

    @Test(
        "the vectors of RFC 4648 are decoded and encoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ text: String) throws {
        let bytes = try Self.decoded(text)
        #expect(bytes == Array(plain.utf8))
        #expect(Array(TextBase64.encode(ByteBuffer(string: plain)).readableBytesView) == Array(text.utf8))
    }

    @Test("what was encoded is decoded, for every length up to 100")
    func roundTrips() throws {
        for count in 0...100 {
            let bytes = Self.random(count)
            let text = Array(TextBase64.encode(ByteBuffer(bytes: bytes)).readableBytesView)
            #expect(text == Array(Base64.standard.encode(bytes).utf8))
            let back = try Self.decoded([text[...]])
            #expect(back == bytes)
        }
    }

    @Test("a text is decoded alike for every cut into two, and for pieces of every size")
    func pieces() throws {
        let (first, second, third) = (Self.random(7), Self.random(41), Self.random(8))
        let text = Array([first, second, third].map(Base64.standard.encode).joined().utf8)
        for cut in 0...text.count {
            let bytes = try Self.decoded([text[..<cut], text[cut...]])
            #expect(bytes == first + second + third)
        }
        for size in 1...9 {
            let starts = stride(from: 0, to: text.count, by: size)
            let bytes = try Self.decoded(starts.map { text[$0..<min($0 + size, text.count)] })
            #expect(bytes == first + second + third)
        }
    }

    @Test("bytes are given as soon as their group is whole")
    func early() throws {
        var decoder = TextBase64Decoder()
        var given: [Int] = []
        for byte in "Zm9vYg==Zm8=".utf8 {
            var chunk = ByteBuffer(bytes: [byte])
            given.append(try decoder.decode(&chunk).readableBytes)
        }
        #expect(given == [0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2])
    }

    @Test("padding may stand in the middle, where two pieces meet")
    func padding() throws {
        let bytes = try Self.decoded("Zg==Zm8=Zm9vZg==")
        #expect(bytes == Array("ffofoof".utf8))
    }

    @Test("a text that ends within a group is refused at its end")
    func prefixes() throws {
        let text = Array("Zm9vYg==Zm8=".utf8)
        for count in 0...text.count {
            var decoder = TextBase64Decoder()
            var chunk = ByteBuffer(bytes: text.prefix(count))
            _ = try decoder.decode(&chunk)
            if count.isMultiple(of: 4) {
                try decoder.finish()
            } else {
                #expect(throws: RPCError.undecodableText) { try decoder.finish() }
            }
        }
    }

    @Test(
        "what is not Base64 of whole groups is refused, in one chunk and byte by byte",
        arguments: [
            "=", "====", "Z===", "Zg=A", "Zg=Zg==", "Zm8==", "Zg===", "=Zg=", "Z=g=", "Zm9v=", "Zm9v====", "Zg", "Zm8", "Zm9vY",
            "Zh==", "Zm9=", "Zm9v\n", "Zm9v Zm9v", "Zm9v\r\nZm9v", "Zm-v", "Zm_v", "Zm9\u{0}", "Zm9é", "%3D", "Zm9v,",
        ])
    func refusals(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: RPCError.undecodableText) { try Self.decoded([bytes[...]]) }
        #expect(throws: RPCError.undecodableText) { try Self.decoded(bytes.indices.map { bytes[$0...$0] }) }
    }

    @Test("every byte but the 64 symbols is refused", arguments: UInt8.min...UInt8.max)
    func symbols(_ byte: UInt8) throws {
        let isSymbol = Base64.standard.decode(utf8: [byte, 65, 65, 65]) != nil
        let bytes = try? Self.decoded([[byte, 65, 65, 65]])
        #expect((bytes != nil) == isSymbol)
    }
}
