/// The DER errors that genuine devices make in a key description, by name. They are accepted and reported.
package enum EncodingQuirk: String, CaseIterable, Hashable, Sendable {
    /// TRUE encoded as another octet than FF.
    case booleanNotDER = "boolean_not_der"
    /// Authorization tags that are not in ascending order.
    case tagsNotAscending = "tags_not_ascending"
    case setNotSorted = "set_not_sorted"

    var meaning: String {
        switch self {
        case .booleanNotDER: "a BOOLEAN is TRUE in another octet than FF"
        case .tagsNotAscending: "authorization tags are out of order"
        case .setNotSorted: "a SET is not sorted"
        }
    }
}
