/// The arc below which a certificate has its extensions: an OBJECT IDENTIFIER (X.660) by its numbers.
package struct ExtensionArc: Hashable, Sendable, CustomStringConvertible {
    /// More are not written: no identifier in use has half as many.
    package static let lengthLimit = 19

    package let numbers: [UInt128]

    /// `nil` unless there are 2 to 19 numbers, the first 0 to 2, the second below 40 unless the first is 2, and all below 2^32, but for one of
    /// 128 bits behind 2.25 (X.667).
    package init?(_ numbers: [UInt128]) {
        guard (2...Self.lengthLimit).contains(numbers.count), numbers[0] <= 2, numbers[0] == 2 || numbers[1] < 40 else {
            return nil
        }
        let isUUID = numbers.count > 2 && numbers[0] == 2 && numbers[1] == 25
        for (place, number) in numbers.enumerated() {
            guard number >> 32 == 0 || isUUID && place == 2 else { return nil }
        }
        self.numbers = numbers
    }

    /// From dotted decimal, such as `1.3.6.1`.
    package init?(_ dotted: String) {
        let parts = dotted.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var numbers: [UInt128] = []
        for part in parts.prefix(Self.lengthLimit + 1) {
            guard part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt128(String(decoding: part, as: UTF8.self))
            else { return nil }
            numbers.append(number)
        }
        self.init(numbers)
    }

    private init(known: [UInt128]) { numbers = known }

    package var description: String { numbers.map { String($0) }.joined(separator: ".") }

    /// Whether one of the two is the other, or stands above it.
    package func overlaps(_ other: ExtensionArc) -> Bool {
        numbers.starts(with: other.numbers) || other.numbers.starts(with: numbers)
    }

    /// The UUID 29b343e7-b73f-4306-b9ae-85637925bea1, which was drawn for Assay: an arc that needs no registration (X.667 §7).
    private static let assay: [UInt128] = [2, 25, 0x29b3_43e7_b73f_4306_b9ae_8563_7925_bea1]

    /// Of the six extensions of a fleet's certificates, where the configuration names none.
    package static let fleet = ExtensionArc(known: assay + [1])
    /// Of Assay's own extension, where the configuration names none.
    package static let statement = ExtensionArc(known: assay + [2])
    /// What ``fleet`` was before: certificates were issued below it, and are read.
    package static let earlierFleet = ExtensionArc(known: [1, 3, 6, 1, 4, 1, 60000, 1])
}
