import AssayCore

extension [ResultRequest] {
    /// The `results` field of a request: the rules are those of `VerifyRequest.results`.
    package init(field messages: [Assay_V1_ResultRequest]) throws(RequestError) {
        guard messages.count <= ResultRequest.countLimit else {
            throw RequestError("results", "must hold at most \(ResultRequest.countLimit)")
        }
        self = []
        for (place, message) in messages.enumerated() {
            try message.refuseUnknown("results[\(place)]")
            append(
                try ResultRequest(
                    UInt64(truncatingIfNeeded: message.shape.rawValue), audience: Array<UInt8>(message.audience.utf8),
                    nonce: Array<UInt8>(message.nonce), at: place))
        }
        try ResultRequest.check(self)
    }
}
