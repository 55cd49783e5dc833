package import AssayCore

/// The reasons for which an inspection does not judge a check; each names the option that would supply the input.
extension Examination {
    package static let clientData = "the client data were not given (--challenge, --client-data or --client-data-hash)"
    package static let wholeClientData =
        "the client data were not given (--challenge or --client-data): they stand in the evidence as they are, so that a hash "
        + "of them is of no use"
    package static let app = "no app was named (--config and --app)"
    package static let keyID = "the key id was not given (--key-id)"
    package static let publicKey = "the registered key was not given (--public-key)"
    package static let registration =
        "the registration is not known here: the assertion reports no validation category of its own"
    package static let counter = "the last accepted counter was not given (--counter)"
    package static let revocation = "no list of revoked certificates was given (--revocation-list)"

    /// Leaves the checks unjudged for this reason.
    package mutating func leaveOut(_ checks: String..., because why: String) {
        for check in checks { notJudged[check] = why }
    }
}
