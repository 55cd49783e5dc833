import AssayCore

/// What Assay says of a verdict in claims of its own: `assay`, and in an EAR `ear_verifier_claims`. The members have the same names in JSON and CBOR.
extension JSONClaims {
    /// - Parameter device: its name to the audience; `nil`: it is not named, or elsewhere.
    mutating func addDetails(of facts: ResultFacts, device: String?) {
        add("app", plain: facts.app.text)
        if let device { add("device", plain: device) }
        add("limits", plain: facts.limits.map(\.rawValue))
        add("purpose", plain: facts.purpose.name)
        add("assurance", plain: facts.assurance.name)
        if facts.simulated { add("simulated", true) }
        if let confidence = facts.confidence { add("confidence", plain: confidence.name) }
        add("request_id", hex: facts.requestID)
        if let hash = facts.payloadHash { add("payload_sha256", hex: hash) }
    }

    /// Where others than the caller's own services read: the limits alone, and that a device is simulated.
    mutating func addLimits(of facts: ResultFacts) {
        object("assay") { details in
            details.add("limits", plain: facts.limits.map(\.rawValue))
            if facts.simulated { details.add("simulated", true) }
        }
    }
}

extension CBORClaims {
    mutating func addDetails(of facts: ResultFacts, device: String?) {
        add("app", facts.app.text)
        if let device { add("device", device) }
        add("limits", facts.limits.map(\.rawValue))
        add("purpose", facts.purpose.name)
        add("assurance", facts.assurance.name)
        if facts.simulated { add("simulated", true) }
        if let confidence = facts.confidence { add("confidence", confidence.name) }
        add("request_id", bytes: facts.requestID)
        if let hash = facts.payloadHash { add("payload_sha256", bytes: hash) }
    }

    mutating func addLimits(of facts: ResultFacts) {
        map("assay") { details in
            details.add("limits", facts.limits.map(\.rawValue))
            if facts.simulated { details.add("simulated", true) }
        }
    }
}
