/// What two daemons draw at random each for itself. A value of one stands for one value of the other, and always for the same.
struct DrawnValues {
    private var forward: [String: String] = [:]
    private var backward: [String: String] = [:]

    /// Members whose values are drawn, or made of what is.
    private static let names: Set<String> = [
        "requestId", "deviceId", "challenge", "certificate", "deviceCertificate", "serial", "deviceSecret", "devicePrivateKey",
        "keyTableIndices", "keys", "tokens", "tokenSha256", "nextPageToken", "usedBy", "replaces",
    ]
    /// Claims that are.
    private static let claims: Set<String> = ["certificate_serial"]

    /// Whether the value of a member is drawn.
    static func has(_ member: String, of object: [String: AnswerTree]) -> Bool {
        if names.contains(member) { return true }
        // The keys of a fleet's devices are named by their secrets.
        if member == "keyId" { return object["format"]?.text == "fleet-device" }
        return member == "text" && claims.contains(object["name"]?.text ?? "")
    }

    /// Whether two values may stand for each other.
    mutating func match(_ one: String, _ other: String) -> Bool {
        if let known = forward[one] { return known == other }
        guard backward[other] == nil else { return false }
        (forward[one], backward[other]) = (other, one)
        return true
    }
}
