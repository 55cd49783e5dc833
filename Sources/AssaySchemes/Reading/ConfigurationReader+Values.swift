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
            report("want a SHA-256: 32 bytes in \(ByteText.forms); \(Self.faultOfDigest(text))")
            return nil
        }
        return bytes
    }

    /// What a text is that is no SHA-256.
    private static func faultOfDigest(_ text: String) -> String {
        let have = "have \"\(text.prefix(100))\""
        let digits = text.filter { $0 != ":" }
        let strange = digits.first { !($0.isASCII && $0.isHexDigit) }
        switch (strange, digits.count) {
        case (nil, 32): return have + ", which is as long as an MD5: take the line SHA-256 of the same output"
        case (nil, 40): return have + ", which is as long as a SHA-1: take the line SHA-256 of the same output"
        case (nil, 64): return have + ": colons stand between all bytes, or nowhere"
        case (nil, let count): return have + ", which has \(count) hexadecimal digits, not 64"
        case (let strange?, _):
            // `keytool` and `apksigner` print a label before it.
            let last = text.split(whereSeparator: \.isWhitespace).last.map(String.init)
            if let last, ByteText.decode(last, count: 32) != nil {
                return have + ": leave out what stands before \"\(last.prefix(12))…\""
            }
            if text.contains(":") || digits.count == 64 {
                return have + ", in which \"\(strange)\" is no hexadecimal digit"
            }
            return have + (ByteText.decode(text).map { ", which has \($0.count) bytes" } ?? "")
        }
    }

    /// A number from 0 to 1.
    package func share() -> Double? {
        guard let text = text() else { return nil }
        guard let number = Double(text), (0...1).contains(number) else {
            report("want a number from 0 to 1 such as 0.1 for a tenth, have \"\(text.prefix(20))\"")
            return nil
        }
        return number
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

    /// Why a text is no path, though a file could have the name: it is written for a shell or as a URL.
    static func problem(with text: String) -> String? {
        let have = "have \"\(text.prefix(60))\""
        if text == "~" || text.hasPrefix("~/") {
            return "want a path that is written out, \(have): \"~\" is not replaced by a folder"
        }
        if let variable = text.firstMatch(of: /(?:^|\/)(\$[A-Za-z_][A-Za-z0-9_]*)/)?.1 {
            return "want a path that is written out, \(have): variables such as \(variable.prefix(60)) are not replaced"
        }
        if let scheme = ["file://", "file:", "unix://", "unix:"].first(where: text.hasPrefix) {
            return "want a path alone, \(have): leave out \"\(scheme)\""
        }
        if text.hasPrefix("-----BEGIN ") { return "want the path of a file, not its content" }
        return nil
    }

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
