/// Where genuine devices break DER in a key description, by name: let pass, and told.
package enum EncodingQuirk: String, CaseIterable, Hashable, Sendable {
    /// TRUE as another octet than FF.
    case booleanNotDER = "boolean_not_der"
    /// Authorization tags in another order than by their numbers.
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
