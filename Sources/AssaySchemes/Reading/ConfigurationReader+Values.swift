package import AssayCertificates
import AssayCore
import AssayFiles
package import AssayVendors

/// Values that sections of several platforms have.
extension ConfigurationReader.Value {
    /// A list of what is allowed: an empty one would allow nothing.
    ///
    /// - Parameter problem: what is said of an empty list.
    package func filledList(
        orReport problem: String = "an empty list allows nothing; leave the key out to allow everything"
    ) -> [ConfigurationReader.Value]? {
        guard let list = list() else { return nil }
        if list.isEmpty { report(problem) }
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

/// Files that a configuration names, relative to its folder.
package struct ConfigurationFiles {
    /// A root certificate in PEM is not larger, in bytes.
    private static let anchorLimit = 64 << 10

    package let folder: String

    package init(folder: String) { self.folder = folder }

    package func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    /// The root certificate in the PEM file that `value` names.
    package func anchor(_ value: ConfigurationReader.Value, simulated: Bool) -> TrustAnchor? {
        guard let path = value.path(self), let name = value.text() else { return nil }
        let bytes: [UInt8]
        do throws(BoundedFileError) {
            bytes = try BoundedFile.read(path, atMost: Self.anchorLimit, isRegular: true)
        } catch {
            value.report("the file \(path) \(error)")
            return nil
        }
        do throws(Rejection) {
            let anchor = try TrustAnchor(name: name, pem: String(decoding: bytes, as: UTF8.self), simulated: simulated)
            guard anchor.validity.notBefore <= anchor.validity.notAfter else {
                value.report(
                    "\(resolve(name)): the certificate ends \(anchor.validity.notAfter), before it begins, "
                        + "\(anchor.validity.notBefore): it is never valid")
                return nil
            }
            return anchor
        } catch {
            value.report("\(resolve(name)): \(error.detail)")
            return nil
        }
    }
}
