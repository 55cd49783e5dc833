import Testing

@testable import AssayHTTP

@Suite("Call formats")
struct CallFormatTests {
    static let all: [CallFormat] = [
        .grpc, .grpcWeb, .grpcWebText, .connect(.protobuf), .connect(.json), .connectStream(.protobuf), .connectStream(.json),
    ]

    @Test(
        "a content type names a format",
        arguments: [
            ("application/grpc", CallFormat.grpc), ("application/grpc+proto", .grpc),
            ("application/grpc-web", .grpcWeb), ("application/grpc-web+proto", .grpcWeb),
            ("application/grpc-web-text", .grpcWebText), ("application/grpc-web-text+proto", .grpcWebText),
            ("application/proto", .connect(.protobuf)), ("application/json", .connect(.json)),
            ("application/connect+proto", .connectStream(.protobuf)), ("application/connect+json", .connectStream(.json)),
        ])
    func names(_ name: String, _ format: CallFormat) {
        #expect(CallFormat(contentType: name) == format)
        #expect(CallFormat(contentType: name.uppercased()) == format)
        #expect(CallFormat(contentType: "\t \(name) ; charset=utf-8; q=\";\"") == format)
    }

    @Test(
        "other content types name none",
        arguments: [
            "", ";", " ", "application", "application/", "application/grp", "application/grpcx", "application/grpc+json",
            "application/grpc-web+json", "application/grpc-web-text+json", "application/grpc +proto", "application /json",
            "application/json, application/json", "application/x-www-form-urlencoded", "text/json", "application/connect",
            "application/connect+xml", "application/grpc+proto+proto", "application/protobuf", "application/json\0",
            "application/\u{212A}son", "applicat\u{131}on/json",
        ])
    func others(_ name: String) { #expect(CallFormat(contentType: name) == nil) }

    @Test("the content type of an answer names the format again", arguments: all)
    func answers(_ format: CallFormat) { #expect(CallFormat(contentType: format.contentType) == format) }

    @Test("only Connect's calls of one message have no envelopes", arguments: all)
    func envelopes(_ format: CallFormat) {
        #expect(format.isEnveloped == !(format == .connect(.protobuf) || format == .connect(.json)))
    }
}
