import AssayCompression
import AssayCore
import Crypto
import Testing

@testable import AssayResults

@Suite("Status lists")
struct StatusListTests {
    /// The statuses of draft-ietf-oauth-status-list §4.1: of the example with one bit, and of that with two.
    private static let published: [(StatusList.Width, [UInt8], bytes: [UInt8], text: String)] = [
        (.one, [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1], [0xB9, 0xA3], "eNrbuRgAAhcBXQ"),
        (.two, [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3], [0xC9, 0x44, 0xF9], "eNo76fITAAPfAgc"),
    ]

    @Test("the draft's examples have its bytes and its compressed text", arguments: published.indices)
    func publishedExamples(_ number: Int) throws {
        let (width, statuses, bytes, text) = Self.published[number]
        var list = StatusList(width, count: statuses.count)
        for (index, status) in statuses.enumerated() { list[index] = status }
        #expect(list.bytes == bytes)
        let compressed = try #require(list.compressed)
        #expect(Base64.url.encode(compressed) == text)
        #expect(try StatusList(width, compressed: compressed, limit: 100) == list)
    }

    /// Appendix C, the list with one bit.
    private static let appendixC = """
        eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAA\
        AJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb
        """

    @Test("the draft's list of 2^20 statuses is read, and is written as short")
    func longExample() throws {
        var list = StatusList(.one, count: 1 << 20)
        for index in [0, 1993, 25460, 159_495, 495_669, 554_353, 645_645, 723_232, 854_545, 934_534, 1_000_345] {
            list[index] = 1
        }
        let compressed = try #require(Base64.url.decode(Self.appendixC))
        #expect(try StatusList(.one, compressed: compressed, limit: 1 << 20) == list)
        #expect(try #require(list.compressed).count <= compressed.count)
    }

    @Test("a status that is set again replaces the one before, and its neighbours stay", arguments: StatusList.Width.allCases)
    func replacement(_ width: StatusList.Width) {
        var list = StatusList(width, count: 64)
        let most = UInt8(truncatingIfNeeded: (1 << width.rawValue) - 1)
        for index in 0..<64 { list[index] = most }
        list[37] = 0
        for index in 0..<64 { #expect(list[index] == (index == 37 ? 0 : most)) }
    }

    @Test("a list has whole bytes")
    func wholeBytes() {
        #expect(StatusList(.one, count: 9).count == 16)
        #expect(StatusList(.two, count: 0).count == 0)
        #expect(StatusList(.two, count: Int(ResultStatusPlace.listSize)).bytes.count == 32_768)
    }

    /// With zlib at level 9: 263 bytes for 0.1 %, 1.4 KB for 1 %, 4.6 KB for 5 %.
    @Test("100,000 statuses of which few are set are some kilobytes", arguments: [(100, 300), (1000, 1600), (5000, 5000)])
    func sizes(_ set: Int, _ most: Int) throws {
        var list = StatusList(.one, count: 100_000)
        var numbers = SplitMix(state: 11)
        for _ in 0..<set { list[Int(numbers.next() % 100_000)] = 1 }
        let compressed = try #require(list.compressed)
        #expect(compressed.count < most)
        #expect(compressed.count > most / 2)
    }

    @Test("a full list in which every place says something else is below 48 KB as text")
    func fullList() throws {
        var numbers = SplitMix(state: 12)
        let entries = (0..<ResultStatusPlace.listSize).compactMap { position in
            ResultStatusEntry.Status(rawValue: UInt8(numbers.next() % 3)).map {
                ResultStatusEntry(position: position, status: $0)
            }
        }
        let permutation = StatusListPermutation(secret: SymmetricKey(data: [UInt8](repeating: 1, count: 32)), list: 0)
        let list = StatusList(entries, by: permutation)
        let said = Dictionary(uniqueKeysWithValues: entries.map { (permutation.index(of: $0.position), $0.status.rawValue) })
        #expect((0..<ResultStatusPlace.listSize).allSatisfy { list[Int($0)] == said[$0] ?? 0 })
        #expect(Base64.url.encode(try #require(list.compressed)).utf8.count < 48_000)
    }

    @Test("more bytes than the limit are not read")
    func limit() throws {
        let compressed = try #require(StatusList(.two, count: 131_072).compressed)
        #expect(throws: InflationError.tooLong) { try StatusList(.two, compressed: compressed, limit: 32_767) }
        #expect(try StatusList(.two, compressed: compressed, limit: 32_768).count == 131_072)
    }
}

/// Numbers that look random, the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
