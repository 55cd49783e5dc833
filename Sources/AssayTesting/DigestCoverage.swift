/// Checks that a digest covers a value's fields: each stored property, found by reflection, has a variation, and each variation moves
/// the digest. A field that is added later and forgotten in the digest is then a failed test.
///
/// A field's name is the way to it, such as `policy.receipt.mode`. Structs are walked into, also those in optionals and lists, where
/// the container is a field too: `identities` and `identities.platform`. A `base` with a value in each optional and an element in each
/// list shows the most. One value each are: enums, classes, sets, dictionaries, and structs that describe themselves as one text
/// (`CustomStringConvertible`, `RawRepresentable`) or have a single property.
package struct DigestCoverage<Section> {
    private let base: Section
    private let digest: (Section) -> [UInt8]
    private let variations: [String: (inout Section) -> Void]
    private let unrelated: [String: String]

    /// - Parameters:
    ///   - variations: for each field, a change of the base that an honest digest shows.
    ///   - unrelated: the fields that bear on no verdict, each with the reason. What stands below them is not walked into.
    package init(
        base: Section, digest: @escaping (Section) -> [UInt8], variations: [String: (inout Section) -> Void],
        unrelated: [String: String] = [:]
    ) {
        (self.base, self.digest) = (base, digest)
        (self.variations, self.unrelated) = (variations, unrelated)
    }

    /// A sentence for each field without a variation, each variation that does not move the digest, and each name of no field.
    package var problems: [String] {
        var fields: [String] = []
        collect(from: base, below: "", into: &fields)
        let known = Set(fields)
        let unvaried = known.filter { variations[$0] == nil && unrelated[$0] == nil }.map { "\($0) has no variation" }
        let strange = Set(variations.keys).union(unrelated.keys).subtracting(known).map {
            "\($0) is no field, or stands below one"
        }
        let unreasoned = unrelated.filter { $0.value.isEmpty }.map { "\($0.key) is unrelated for no reason" }
        let before = digest(base)
        let wrong = variations.compactMap { name, change in
            var varied = base
            change(&varied)
            switch (digest(varied) != before, unrelated[name] != nil) {
            case (false, false): return "\(name) does not move the digest"
            case (true, true): return "\(name) moves the digest, although it is named as unrelated"
            default: return nil
            }
        }
        return (unvaried + strange + unreasoned + wrong).sorted()
    }

    private func collect(from value: Any, below path: String, into fields: inout [String]) {
        for child in Mirror(reflecting: value).children {
            guard let label = child.label else { continue }
            let name = path.isEmpty ? label : "\(path).\(label)"
            let isSeen = fields.contains(name)
            let parts = structs(in: child.value)
            // A struct itself is no field beside its properties; an optional or a list of structs is.
            if !isSeen, parts.isEmpty || Mirror(reflecting: child.value).displayStyle != .struct { fields.append(name) }
            guard unrelated[name] == nil else {
                if !fields.contains(name) { fields.append(name) }
                continue
            }
            for part in parts { collect(from: part, below: name, into: &fields) }
        }
    }

    /// The structs with fields of their own that the value is or contains.
    private func structs(in value: Any) -> [Any] {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection: return mirror.children.flatMap { structs(in: $0.value) }
        case .struct where value is any CustomStringConvertible || value is any RawRepresentable: return []
        case .struct: return mirror.children.count > 1 ? [value] : []
        default: return []
        }
    }
}
