import AssayCore
import Testing

/// The table of kinds, held against proto/assay/v1.
@Suite("Kinds of evidence")
struct EvidenceKindTests {
    /// `plugin_evidence`, which holds the formats that no kind has.
    private static let plugins = ProtoFiles.Field(number: 8, type: "PluginEvidence")

    @Test("each message that evidence can be is a row, but for that of plugins, and no row is another message")
    func messages() throws {
        let numbers = try ProtoFiles.fields(of: "Evidence").filter { $0 != Self.plugins }.map(\.number)
        #expect(!numbers.isEmpty && EvidenceKind.all.compactMap { $0.message?.field }.sorted() == numbers.sorted())
        #expect(try ProtoFiles.fields(of: "Evidence").contains(Self.plugins))
    }

    @Test("the fields of each message are those of the row's layout", arguments: EvidenceKind.all.filter { $0.message != nil })
    func layouts(_ kind: EvidenceKind) throws {
        let message = try #require(kind.message)
        let type = try #require(try ProtoFiles.fields(of: "Evidence").first { $0.number == message.field }?.type)
        let expected: [ProtoFiles.Field] =
            switch message.layout {
            case .keyAndBytes: [.init(number: 1, type: "bytes"), .init(number: 2, type: "bytes")]
            case .bytes: [.init(number: 1, type: "bytes")]
            case .text: [.init(number: 1, type: "string")]
            case .certificates: [.init(number: 1, type: "bytes", isRepeated: true)]
            case .signature:
                [.init(number: 1, type: "bytes"), .init(number: 2, type: "Algorithm"), .init(number: 3, type: "bytes")]
            case .offline:
                [
                    .init(number: 1, type: "bytes"), .init(number: 2, type: "KeySignature.Algorithm"),
                    .init(number: 3, type: "bytes"), .init(number: 4, type: "int64"), .init(number: 5, type: "bytes"),
                ]
            case .bundle: try ProtoFiles.fields(of: "CertificateBundle")
            }
        #expect(try ProtoFiles.fields(of: type) == expected, "\(type)")
        #expect((type == "CertificateBundle") == (message.layout == .bundle))
    }

    @Test("a kind is found by its field and by its format, and no two have one of either")
    func lookups() {
        for kind in EvidenceKind.all {
            #expect(EvidenceKind.of(kind.format) == kind)
            if let field = kind.message?.field { #expect(EvidenceKind.at(field: field) == kind) }
        }
        #expect(EvidenceFormat.described.count == EvidenceKind.all.count)
        for field in [-1, 0, 8, 11, 1 << 29, Int.max, Int.min] { #expect(EvidenceKind.at(field: field) == nil, "\(field)") }
        #expect(EvidenceKind.of(EvidenceFormat(rawValue: "tarot")) == nil)
    }
}
