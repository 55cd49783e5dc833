import AssayCore

/// What stands in a result beside what its verdict says. A class, so that passing it on costs one count.
final class ResultTerms: Sendable {
    let key: ResultKey
    let audience: ResultAudience
    /// `iat`: when the verdict was given, in seconds since 1970.
    let issuedAt: Int64
    /// `exp`, in seconds since 1970.
    let expiresAt: Int64
    /// `jti` or `cti`: 16 random bytes.
    let identifier: [UInt8]
    /// The caller's; empty: none.
    let nonce: [UInt8]
    let status: ResultStatusReference?

    init(
        key: ResultKey, audience: ResultAudience, issuedAt: Int64, expiresAt: Int64, identifier: [UInt8], nonce: [UInt8],
        status: ResultStatusReference?
    ) {
        (self.key, self.audience, self.issuedAt, self.expiresAt) = (key, audience, issuedAt, expiresAt)
        (self.identifier, self.nonce, self.status) = (identifier, nonce, status)
    }
}

/// An audience, and what all results for it repeat. A class, so that passing it on costs one count.
final class ResultAudience: Sendable {
    let name: String
    /// `aud` as JSON.
    let json: [UInt8]
    /// `nil` where devices are not named by audience.
    private let pairwise: PairwiseIdentifier?
    private let naming: ResultRule.DeviceNaming

    init(_ name: String, _ naming: ResultRule.DeviceNaming, secret: [UInt8]) {
        (self.name, json, self.naming) = (name, JSONClaims.encoded(name), naming)
        pairwise = naming == .pairwise ? PairwiseIdentifier(secret: secret, audience: name) : nil
    }

    /// How the device is named to it; `nil`: not at all.
    func name(of device: DeviceID?) -> String? {
        guard let device else { return nil }
        return switch naming {
        case .pairwise: pairwise?.name(of: device)
        case .global: device.description
        case .none: nil
        }
    }
}

extension JSONClaims {
    /// `iss` and `aud`.
    mutating func addParties(_ terms: ResultTerms) {
        add("iss", json: terms.key.heads.issuer)
        add("aud", json: terms.audience.json)
    }

    /// `iat`, `exp` and `jti`.
    mutating func addLife(_ terms: ResultTerms) {
        add("iat", terms.issuedAt)
        add("exp", terms.expiresAt)
        add("jti", base64url: terms.identifier)
    }

    /// `status_list` with place and list (draft-ietf-oauth-status-list-21 §6.2).
    mutating func addStatusList(_ place: ResultStatusReference) {
        object("status_list") { list in
            list.add("idx", Int64(place.index))
            list.add("uri", place.uri)
        }
    }

    /// A status as the EU wallet's tokens have it: the place, and until when what it says is kept up (TS3 §2.5).
    mutating func addWalletStatus(_ name: StaticString, _ terms: ResultTerms) {
        guard let place = terms.status else { return }
        object(name) { claim in
            claim.object("status") { $0.addStatusList(place) }
            claim.add("exp", terms.expiresAt + ResultProfiles.statusPeriodOfWallet / 1000)
        }
    }
}

extension CBORClaims {
    /// The claims 1 to 10.
    mutating func addTerms(_ terms: ResultTerms) {
        add(CWTLabel.issuer, terms.key.issuer.address)
        add(CWTLabel.audience, terms.audience.name)
        add(CWTLabel.expiresAt, terms.expiresAt)
        add(CWTLabel.issuedAt, terms.issuedAt)
        add(CWTLabel.identifier, bytes: terms.identifier)
        if !terms.nonce.isEmpty { add(CWTLabel.nonce, bytes: terms.nonce) }
    }
}
