/// What two daemons draw at random each for itself. A value of one stands for one value of the other, and always for the same.
struct DrawnValues {
    private var forward: [String: String] = [:]
    private var backward: [String: String] = [:]

    /// Members whose values are drawn, or made of what is.
    private static let names: Set<String> = [
        "requestId", "deviceId", "challenge", "certificate", "deviceCertificate", "serial", "deviceSecret", "devicePrivateKey",
        "tokens", "tokenSha256", "nextPageToken", "usedBy", "replaces",
    ]
    /// Members whose values are drawn of few, so that they meet by chance, or belong to such.
    private static let free: Set<String> = ["keyTableIndices", "keys"]
    /// Claims that are drawn.
    private static let claims: Set<String> = ["certificate_serial"]

    /// How the value of a member is compared.
    enum Rule {
        case equal
        /// It stands for one value of the other.
        case drawn
        /// Not at all.
        case free
    }

    static func rule(for member: String, of object: [String: AnswerTree]) -> Rule {
        if free.contains(member) { return .free }
        if names.contains(member) { return .drawn }
        if member == "keyId" {
            // A fleet's devices are known by their secrets, and the daemon may have made the key of a certificate.
            let isDrawn =
                object["format"]?.text == "fleet-device" || object["keyProtection"]?.text == "KEY_PROTECTION_GENERATED"
            return isDrawn ? .drawn : .equal
        }
        return member == "text" && claims.contains(object["name"]?.text ?? "") ? .drawn : .equal
    }

    /// Whether two values may stand for each other.
    mutating func match(_ one: String, _ other: String) -> Bool {
        if let known = forward[one] { return known == other }
        guard backward[other] == nil else { return false }
        (forward[one], backward[other]) = (other, one)
        return true
    }
}
