extension ConfigurationReader.Value {
    /// An Android package: names of letters, digits and underscores that begin with a letter, with dots between them.
    package func packageName() -> String? {
        guard let name = text() else { return nil }
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            // As Android demands it of each part.
            part.first.map { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") } == true
                && part.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        guard parts.count >= 2, isName, name.utf8.count <= 255 else {
            report("want a package such as com.example.app, have \"\(name.prefix(60))\"")
            return nil
        }
        return name
    }
}
