import AssayCore

/// The required properties and allowed uses of a key.
package struct KeyRule: Hashable, Sendable {
    package var origins: Set<KeyOrigin>
    package var requiredPurposes: Set<KeyPurpose>
    package var forbiddenPurposes: Set<KeyPurpose>
    /// `nil`: any.
    package var kinds: Set<KeyKind>?
    /// `nil`: user authentication is not required.
    package var authentication: AuthenticationRule?
    /// Flags that the description must contain.
    package var properties: Set<Property>

    package enum Property: String, CaseIterable, Hashable, Sendable {
        case rollbackResistance = "rollback_resistance"
        case unlockedDevice = "unlocked_device"
        case userPresence = "user_presence"
        case userConfirmation = "user_confirmation"

        /// One of these tags is enough.
        var tags: [AuthorizationTag] {
            switch self {
            case .rollbackResistance: [.rollbackResistance, .rollbackResistant]
            case .unlockedDevice: [.unlockedDeviceRequired]
            case .userPresence: [.trustedUserPresenceRequired]
            case .userConfirmation: [.trustedConfirmationRequired]
            }
        }
    }

    package init(
        origins: Set<KeyOrigin> = [.generated], requiredPurposes: Set<KeyPurpose> = [.sign],
        forbiddenPurposes: Set<KeyPurpose> = [.attestKey], kinds: Set<KeyKind>? = nil,
        authentication: AuthenticationRule? = nil, properties: Set<Property> = []
    ) {
        self.origins = origins
        self.requiredPurposes = requiredPurposes
        self.forbiddenPurposes = forbiddenPurposes
        self.kinds = kinds
        self.authentication = authentication
        self.properties = properties
    }

    /// Kind, origin, purposes, and the binding of the key to an app.
    func judge(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        if let kinds {
            try appraisal.require(
                "key_kind", facts.kind.map(kinds.contains) ?? false, else: .keyType,
                "the key is of \(facts.kind.map { "the kind \($0.rawValue)" } ?? "a kind that no version of the schema has"), allowed: \(kinds.map(\.rawValue).sorted().joined(separator: ", "))"
            )
        } else {
            appraisal.skip("key_kind")
        }
        let origin = facts.trusted.number(.origin).flatMap(KeyOrigin.init(rawValue:))
        try appraisal.require(
            "key_origin", origin.map(origins.contains) ?? false, else: .keyOrigin,
            "\(Self.sentence(aboutOriginIn: facts.trusted)), allowed: \(origins.map(\.name).sorted().joined(separator: ", "))")
        let stated = facts.trusted.numbers(.purpose)
        let purposes = stated ?? []
        try appraisal.require(
            "key_purpose",
            requiredPurposes.allSatisfy { purposes.contains($0.rawValue) }
                && !forbiddenPurposes.contains { purposes.contains($0.rawValue) },
            else: .keyPurpose,
            "the purposes are \(stated.map { KeyPurpose.text(Set($0)) } ?? "not stated by the hardware"), required: "
                + "\(KeyPurpose.text(Set(requiredPurposes.map(\.rawValue)))), "
                + "forbidden: \(KeyPurpose.text(Set(forbiddenPurposes.map(\.rawValue))))")
        try appraisal.require(
            "key_app_bound", !facts.softwareEnforced.has(.allApplications) && !facts.hardwareEnforced.has(.allApplications),
            else: .keyNotAppBound, "all applications may use the key")
    }

    private static func sentence(aboutOriginIn list: AuthorizationList) -> String {
        guard list.has(.origin) else { return "the origin is not stated by the hardware" }
        guard let number = list.number(.origin) else { return "the origin has more than 64 bits" }
        return "the origin is \(KeyOrigin(rawValue: number)?.name ?? "\(number), which the schema does not have")"
    }

    func judgeProperties(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard authentication != nil || !properties.isEmpty else { return appraisal.skip("key_properties") }
        try appraisal.check("key_properties") { () throws(Rejection) in
            try authentication?.judge(facts.trusted)
            for property in Property.allCases where properties.contains(property) {
                guard property.tags.contains(where: facts.trusted.has) else {
                    throw Rejection(.keyProperties, "the key lacks \(property.rawValue)")
                }
            }
        }
    }
}

/// The rule that the user must have authenticated before a key is used.
package struct AuthenticationRule: Hashable, Sendable {
    package enum Method: String, CaseIterable, Hashable, Sendable {
        case password
        case biometric

        /// The method's bit in the tag `userAuthType`.
        var bit: UInt64 {
            switch self {
            case .password: 1
            case .biometric: 2
            }
        }
    }

    /// Every method that the key accepts must be among these.
    package var methods: Set<Method>
    /// The longest validity of an authentication, in seconds; 0: one authentication for each use. `nil`: any time.
    package var longest: UInt64?

    package init(methods: Set<Method> = Set(Method.allCases), longest: UInt64? = nil) {
        (self.methods, self.longest) = (methods, longest)
    }

    fileprivate func judge(_ stated: AuthorizationList) throws(Rejection) {
        guard !stated.has(.noAuthRequired), let types = stated.number(.userAuthType), types != 0 else {
            throw Rejection(.keyProperties, "the key can be used without its user")
        }
        // "Any" has all 32 bits set; undefined bits alone allow nothing.
        let known = Method.allCases.filter { types & $0.bit != 0 }
        guard !known.isEmpty, known.allSatisfy(methods.contains) else {
            throw Rejection(.keyProperties, "the key accepts another way of authentication")
        }
        // Without a timeout each use needs an authentication. A timeout of more than 64 bits never ends.
        let timeout = stated.number(.authTimeout)
        let lasts = stated.has(.authTimeout) ? timeout ?? .max : 0
        if let longest, lasts > longest {
            let found = timeout.map { "\($0) s" } ?? "more seconds than 64 bits can count"
            throw Rejection(.keyProperties, "an authentication lasts for \(found), at most \(longest) s")
        }
    }
}
