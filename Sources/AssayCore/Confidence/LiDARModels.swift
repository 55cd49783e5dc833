/// Which iPhones have a LiDAR sensor: a list of models with its date. A new generation of iPhones makes a new list.
enum LiDARModels {
    /// The day up to which the list is complete.
    static let date = "2025-09-19"
    /// The newest generation that the list knows, by the number in a model's name and by the first number of a hardware identifier.
    static let newest = (generation: 17, hardware: 18)

    /// The models that have the sensor, by name and by hardware identifier.
    static let models: [(name: String, hardware: String)] = [
        ("iPhone 12 Pro", "iPhone13,3"), ("iPhone 12 Pro Max", "iPhone13,4"), ("iPhone 13 Pro", "iPhone14,2"),
        ("iPhone 13 Pro Max", "iPhone14,3"), ("iPhone 14 Pro", "iPhone15,2"), ("iPhone 14 Pro Max", "iPhone15,3"),
        ("iPhone 15 Pro", "iPhone16,1"), ("iPhone 15 Pro Max", "iPhone16,2"), ("iPhone 16 Pro", "iPhone17,1"),
        ("iPhone 16 Pro Max", "iPhone17,2"), ("iPhone 17 Pro", "iPhone18,1"), ("iPhone 17 Pro Max", "iPhone18,2"),
    ]

    /// Models without the sensor whose names have no number.
    static let unnumbered = ["iPhone Air", "iPhone SE", "iPhone X", "iPhone XR", "iPhone XS", "iPhone XS Max"]

    /// Whether the model has the sensor; `nil` for a model that the list does not know, such as one of a newer generation or an iPad.
    static func hasLiDAR(_ model: String) -> Bool? {
        if models.contains(where: { $0.name.hasBytes(of: model) || $0.hardware.hasBytes(of: model) }) { return true }
        if unnumbered.contains(where: { $0.hasBytes(of: model) }) { return false }
        let bytes = Array(model.utf8)
        let (name, hardware) = (Array("iPhone ".utf8), Array("iPhone".utf8))
        if bytes.starts(with: name) {
            guard let (number, rest) = number(bytes.dropFirst(name.count)), number <= newest.generation else { return nil }
            // A letter after the number, as in 16e, belongs to the name.
            return rest.allSatisfy { $0 != UInt8(ascii: ",") } ? false : nil
        }
        guard bytes.starts(with: hardware), let (number, rest) = number(bytes.dropFirst(hardware.count)),
            number <= newest.hardware,
            rest.first == UInt8(ascii: ","), let (_, end) = Self.number(rest.dropFirst()), end.isEmpty
        else { return nil }
        return false
    }

    /// One to three digits.
    private static func number(_ text: ArraySlice<UInt8>) -> (Int, rest: ArraySlice<UInt8>)? {
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        return (digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }, text.dropFirst(digits.count))
    }
}
