import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Challenge response")
struct ChallengeTests {
    @Test(
        "A challenge is answered in the bytes of the generated message",
        arguments: [0, 1, 1_800_000_000_123, .max, -1] as [Int64])
    func response(milliseconds: Int64) throws {
        for challenge in [[], [UInt8](repeating: 7, count: Challenge.length), [UInt8](repeating: 1, count: 300)] {
            let written = Assay_V1_IssueChallengeResponse.serialized(
                challenge, until: Timestamp(unixMilliseconds: milliseconds))
            let message = Assay_V1_IssueChallengeResponse.with {
                $0.challenge = Data(challenge)
                $0.expiresAtUnixMs = milliseconds
            }
            #expect(try written == message.serializedBytes())
        }
    }
}
