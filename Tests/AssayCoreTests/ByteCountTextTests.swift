import AssayCore
import Testing

@Suite("Numbers of bytes")
struct ByteCountTextTests {
    @Test("A whole number with a unit of powers of 1024, or without one, is read, and nothing else")
    func read() {
        for (text, bytes) in [
            ("0", 0), ("65536", 65_536), ("64KiB", 65_536), ("512MiB", 512 << 20), ("1GiB", 1 << 30), ("2TiB", 2 << 40),
            ("-1", -1),
        ] { #expect(ByteCountText.bytes(text) == bytes, "\(text)") }
        for text in ["", "KiB", "1KB", "1 KiB", "1.5MiB", "1e3", "0x10", "9223372036854775807KiB", "64kib"] {
            #expect(ByteCountText.bytes(text) == nil, "\(text)")
        }
    }

    @Test(
        "Written exactly it is read again, in the largest unit that is whole",
        arguments: [0, 1, 1023, 1024, 1536, 3 << 20, 1 << 40])
    func exact(_ bytes: Int) {
        #expect(ByteCountText.bytes(ByteCountText.exact(bytes)) == bytes)
        #expect(ByteCountText.exact(64 << 10) == "64KiB" && ByteCountText.exact(1536) == "1536")
    }

    @Test("What people write in other forms is understood")
    func meant() {
        for (text, meant) in [("1MB", "1MiB"), ("512 M", "512MiB"), ("64kb", "64KiB"), ("1g", "1GiB"), ("64kib", "64KiB")] {
            #expect(ByteCountText.meant(by: text) == meant, "\(text)")
        }
        for text in ["", "5", "MB", "1XB", "1.5MB"] { #expect(ByteCountText.meant(by: text) == nil, "\(text)") }
    }
}
