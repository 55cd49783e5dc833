package import AssayCore

/// What a request to provision a device of a fleet came to. It is no verdict on evidence.
package struct ProvisioningOutcome: Sendable {
    package enum Result: Sendable {
        case provisioned(Assurance)
        /// The stored answer to an equal request.
        case repeated
        /// - Parameter device: the one that stands in the way.
        case refused(Rejection, check: String, device: DeviceID?)
        case failed(PipelineError)
    }

    /// Without evidence and subject.
    let request: VerdictRecord.Request
    let policyDigest: [UInt8]
    let result: Result
    /// The time that it took.
    let nanoseconds: UInt64
}
