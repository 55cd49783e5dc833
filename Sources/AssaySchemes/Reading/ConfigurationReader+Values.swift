import AssayCore
package import AssayVendors

/// Values that sections of several platforms have.
extension ConfigurationReader.Value {
    /// A list of what is allowed: an empty one would allow nothing.
    package func filledList() -> [ConfigurationReader.Value]? {
        guard let list = list() else { return nil }
        if list.isEmpty { report("an empty list allows nothing; leave the key out to allow everything") }
        return list
    }

    /// A SHA-256 as `keytool`, `apksigner` and the Play Console write it: in any form of `ByteText`.
    package func digest() -> [UInt8]? {
        guard let text = text() else { return nil }
        guard let bytes = ByteText.decode(text, count: 32) else {
            report("want a SHA-256: 32 bytes in \(ByteText.forms)")
            return nil
        }
        return bytes
    }

    /// `https://host`, with or without a port and a path.
    package func vendorAddress() -> VendorAddress? {
        guard let text = text() else { return nil }
        guard let address = VendorAddress(text) else {
            report("want https://host, with or without a port and a path, have \"\(text.prefix(60))\"")
            return nil
        }
        return address
    }
}
