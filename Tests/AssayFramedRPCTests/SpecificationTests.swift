import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

/// Compares proto/README.md with the server.
@Suite("Specification")
struct SpecificationTests {
    let page: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        page = try String(contentsOf: root.appending(path: "proto/README.md"), encoding: .utf8)
    }

    @Test("the server answers the worked example byte for byte")
    func workedExample() async throws {
        let blocks = try exampleBlocks()
        try #require(blocks.count == 6)
        let pings = blocks[4].split(at: 6), fault = blocks[5].split(at: 4)
        try await TestServer.run { server in
            let peer = try await RawPeer.connect(to: server.address)
            for (said, heard) in [(blocks[0], blocks[1]), (blocks[2], blocks[3]), pings, fault] {
                try await peer.say(said)
                #expect(try await peer.hear()?.wire == heard)
            }
            #expect(try await peer.hear() == nil)
        }
    }

    @Test("proto/README.md names every reason that the server gives")
    func reasons() {
        for reason in GoAwayReason.allCases { #expect(page.contains("`\(reason.rawValue)`")) }
        let answers: [RPCError] = [
            .unknownMethod(""), .tooMuchMetadata, .timeoutTooLong, .undecodableMessage, .tooManyCalls, .overloaded, .goingAway,
            .drained,
            .cancelled,
            .deadlineExceeded, .unanswered, .replyTooLarge, .unserialisable,
        ]
        for error in answers { #expect(page.contains("`\(error.reason)`")) }
    }

    @Test("proto/README.md spells each status as the code does, with its number")
    func statusNames() throws {
        for code in RPCStatusCode.allCases where code != .ok {
            #expect(page.contains("| \(code.rawValue) | \(code) |"), "\(code)")
        }
        #expect("\(RPCError(.permissionDenied, "no", reason: "why"))" == "PERMISSION_DENIED (why): no")
    }

    @Test("proto/README.md names the default limits")
    func limits() {
        let limits = RPCLimits()
        #expect(page.contains("default 1 MiB = 1,048,576") && limits.maxFrameBytes == 1_048_576)
        #expect(page.contains("calls in flight (default \(limits.maxInFlightPerConnection))"))
        #expect(page.contains("calls in flight (default \(limits.maxInFlightTotal))"))
        #expect(page.contains("caller's on all its connections (default \(limits.maxInFlightPerCaller))"))
        #expect(page.contains("their bytes (default \(limits.maxHeldBytesTotal >> 20) MiB)"))
        #expect(page.contains("the server's connections (default \(limits.maxConnections))"))
        #expect(page.contains("\(limits.maxDiscardedBytes >> 20) MiB (default)"))
        #expect(page.contains("\(limits.maxOutboundBytes >> 20) MiB (default)"))
        #expect(page.contains("\(limits.maxOutboundBytesTotal >> 20) MiB (default)"))
        let times = [
            ("idle", limits.idleTimeout), ("connection was made", limits.firstFrameTimeout), ("finished", limits.frameTimeout),
            ("write", limits.writeTimeout), ("drain", limits.drainTimeout), ("linger", limits.lingerTimeout),
        ]
        for (name, time) in times {
            let line = page.split(separator: "\n").first {
                $0.contains(name) && $0.contains("(default \(time.components.seconds) s)")
            }
            #expect(line != nil, "\(name)")
        }
    }

    /// The bytes of each block under "A worked example": the pairs of hex digits before the explanation.
    private func exampleBlocks() throws -> [[UInt8]] {
        let section = try #require(page.range(of: "## A worked example"))
        let end = try #require(page.range(of: "## Generated code"))
        let parts = page[section.upperBound..<end.lowerBound].components(separatedBy: "```")
        return parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { _, block in
            block.split(separator: "\n").flatMap { line in
                line.split(separator: " ").prefix { $0.count == 2 }.compactMap { UInt8($0, radix: 16) }
            }
        }
    }
}

extension [UInt8] {
    fileprivate func split(at index: Int) -> ([UInt8], [UInt8]) { (Array(prefix(index)), Array(dropFirst(index))) }
}
