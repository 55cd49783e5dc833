import AssayCore
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("Half of the content's SHA-256 in quotation marks")
    func values() {
        // SHA-256 of nothing and of "abc" (FIPS 180-4).
        #expect(EntityTag.of([]) == "\"e3b0c44298fc1c149afbf4c8996fb924\"")
        #expect(EntityTag.of(Array("abc".utf8)) == "\"ba7816bf8f01cfea414140de5dae2223\"")
    }
}
