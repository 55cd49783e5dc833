import AssayCore
import Foundation
import Testing

@Suite("Rules of uploads")
struct UploadTests {
    @Test("The documented table of codes is the enumeration's")
    func table() throws {
        let text = try String(contentsOf: docs.appending(path: "reference/uploads.md"), encoding: .utf8)
        #expect(text.contains("\n" + UploadRefusal.Code.markdownTable), "docs/reference/uploads.md is stale")
    }

    @Test("No two codes have the same meaning, and each is a sentence", arguments: UploadRefusal.Code.allCases)
    func summaries(_ code: UploadRefusal.Code) {
        #expect(code.rawValue.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
        #expect(code.summary.hasSuffix(".") && !code.summary.contains("|") && !code.summary.contains("\n"))
        #expect(UploadRefusal.Code.allCases.filter { $0.summary == code.summary } == [code])
    }

    @Test("A payload of the most bytes in the smallest chunks has the most chunks")
    func countLimit() throws {
        let plan = try ChunkPlan(size: UInt64(ChunkPlan.sizeLimit), chunkSize: UInt64(ChunkPlan.chunkSizes.lowerBound))
        #expect(plan.count == ChunkPlan.countLimit && ChunkPlan.countLimit == 800)
        #expect(throws: UploadRefusal.tooLarge(52_428_801)) { try ChunkPlan(size: 52_428_801, chunkSize: 65_536) }
        #expect(plan.size(ofChunk: -1) == nil && plan.size(ofChunk: 800) == nil && plan.size(ofChunk: .max) == nil)
    }

    @Test("The sentence about missing chunks has at most 20 ranges")
    func missing() {
        let odd = stride(from: 1, through: 79, by: 2).map { $0 }
        let text = UploadRefusal.incomplete(missing: odd, count: 80).description
        #expect(text == "40 of 80 chunks are missing: " + odd.prefix(20).map(String.init).joined(separator: ", ") + " and more")
        #expect(UploadRefusal.incomplete(missing: [3], count: 4).description == "1 of 4 chunks is missing: 3")
    }
}
