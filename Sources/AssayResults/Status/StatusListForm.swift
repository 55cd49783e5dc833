/// How a status list is signed (draft-ietf-oauth-status-list §5).
package enum StatusListForm: CaseIterable, Hashable, Sendable {
    case jwt
    case cwt

    /// What it is served as (§8.1, §14.7), and the type in the header of a CWT (RFC 9596).
    package var mediaType: String {
        switch self {
        case .jwt: "application/statuslist+jwt"
        case .cwt: "application/statuslist+cwt"
        }
    }

    /// `typ` in the header of a JWT, where the prefix is left out (RFC 7515 §4.1.9).
    static let type = "statuslist+jwt"
}
