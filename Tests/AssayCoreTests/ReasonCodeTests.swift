import AssayCore
import Foundation
import Testing

@Suite("Reason codes")
struct ReasonCodeTests {
    /// Set to write the table into the page instead of comparing.
    private static let regenerates = ProcessInfo.processInfo.environment["ASSAY_WRITE_DOCS"] == "1"

    @Test("The documented table is the enumeration's")
    func table() throws {
        let page = docs.appending(path: "reference/reason-codes.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "| code |"), "docs/reference/reason-codes.md has lost its table").lowerBound
        let end = text.range(of: "\n\n", range: start..<text.endIndex).map { text.index(after: $0.lowerBound) } ?? text.endIndex
        if Self.regenerates {
            try text.replacingCharacters(in: start..<end, with: ReasonCode.markdownTable)
                .write(to: page, atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[start..<end] == ReasonCode.markdownTable,
                "docs/reference/reason-codes.md is stale. Regenerate: ASSAY_WRITE_DOCS=1 swift test --disable-index-store --filter AssayCoreTests.ReasonCodeTests"
            )
        }
    }

    @Test("A new key is asked for only where it can differ in what was refused, and a new challenge only where it can help")
    func retry() {
        func codes(_ retry: RetryClass) -> Set<ReasonCode> { Set(ReasonCode.allCases.filter { $0.retry == retry }) }
        #expect(
            codes(.reAttest) == [
                .unknownDevice, .keyOwnerMismatch, .keyAlreadyCertified, .certificateSerialTaken, .expired, .receiptExpired,
                .receiptTooOld, .receiptNotVerified, .attestedAppUnavailable, .createdOutOfWindow,
            ])
        #expect(
            codes(.newChallenge) == [
                .challengeInvalid, .challengeExpired, .challengeReused, .challengeAttemptsExceeded, .clientDataMismatch,
                .nonceMismatch, .counterNotIncreasing, .counterTooOld, .challengeMismatch, .requestHashMismatch,
                .staleTimestamp, .csrNotBound, .confidenceTooLow,
            ])
        #expect(codes(.later) == [.tooManySubmissions, .notYetValid, .timestampInFuture])
    }

    @Test("Codes are lower-case words, and no two have the same meaning", arguments: ReasonCode.allCases)
    func words(_ code: ReasonCode) {
        #expect(code.rawValue.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
        #expect(code.summary.hasSuffix("."))
        #expect(!code.summary.contains("|") && !code.summary.contains("\n"))
        #expect(ReasonCode.allCases.filter { $0.summary == code.summary } == [code])
    }
}
