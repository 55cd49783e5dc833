package import AssayCore
import AssayProtobuf

extension Assay_V1_IssueChallengeResponse {
    /// The serialised message, written directly: challenges are issued as often as verdicts are given.
    ///
    /// - Parameter challenge: as `ChallengeKey` issues it.
    package static func serialized(_ challenge: [UInt8], until expiry: Timestamp) -> [UInt8] {
        ProtobufWriter.message(capacity: 96) { writer in
            writer.write(1, challenge)
            writer.write(2, expiry.unixMilliseconds)
        }
    }
}
