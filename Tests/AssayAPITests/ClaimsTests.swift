import AssayAPI
import AssayCore
import SwiftProtobuf
import Testing

@Suite("Claims")
struct ClaimsTests {
    private let claims = Claims([
        .init(name: "text", value: .text("Grüße")),
        .init(name: "empty", value: .text("")),
        .init(name: "least", value: .integer(.min)),
        .init(name: "most", value: .integer(.max)),
        .init(name: "yes", value: .boolean(true)),
        .init(name: "no", value: .boolean(false)),
        .init(name: "bytes", value: .bytes([0, 255])),
        .init(name: "none", value: .bytes([])),
        .init(name: "texts", value: .texts(["a", "", "b"])),
        .init(name: "nothing", value: .texts([])),
        .init(name: "time", value: .time(Timestamp(unixMilliseconds: -1))),
        .init(name: "text", value: .text("the name twice")),
    ])

    @Test("of every kind come back from their messages, in order")
    func roundTrip() throws {
        let read = try claims.messages.map { message -> Assay_V1_Claim in
            let wire: [UInt8] = try message.serializedBytes()
            return try Assay_V1_Claim(serializedBytes: wire)
        }
        #expect(Claims(read) == claims)
    }

    @Test("whose kind is not known are left out")
    func unknownKind() {
        let unknown = Assay_V1_Claim.with { $0.name = "later" }
        #expect(Claims([unknown] + claims.messages) == claims)
    }
}
