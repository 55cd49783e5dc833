import AssayCore

/// An app of Apple's platforms, by what its devices attest.
package struct IOSApp: Hashable, Sendable {
    /// The App ID: the team (or an older prefix), a dot, and the bundle identifier.
    package let appID: String

    package init(team: String, bundle: String) throws(PlanError) {
        let team = try Self.team(team)
        guard (1...155).contains(bundle.utf8.count), !bundle.hasPrefix("."), !bundle.hasSuffix("."),
            bundle.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { throw PlanError("a bundle identifier has letters, digits, - and dots, such as com.example.photos", bundle) }
        appID = team + "." + bundle
    }

    /// A team as Apple writes it.
    package static func team(_ text: String) throws(PlanError) -> String {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ $0.isCapital || $0.isDigit }) else {
            throw PlanError("a team has ten capital letters and digits, such as TEAMID1234", text)
        }
        return text
    }
}

/// An app of Android, by what its devices attest.
package struct AndroidApp: Hashable, Sendable {
    package let package: String
    /// SHA-256 of each certificate that signs it, 32 bytes.
    package let signers: [[UInt8]]

    package init(package: String, signers: [[UInt8]]) throws(PlanError) {
        guard Self.isPackage(package) else {
            throw PlanError("a package has two names or more of letters, digits and _, such as com.example.photos", package)
        }
        guard !signers.isEmpty, signers.allSatisfy({ $0.count == 32 }) else {
            throw PlanError("a signer is a SHA-256 of 32 bytes, and one is needed at least", "")
        }
        (self.package, self.signers) = (package, signers)
    }

    /// The form of the names of Android's packages: parts of Java's names, two at least.
    static func isPackage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && parts.count >= 2
            && parts.allSatisfy { part in
                part.first?.isLetter == true && part.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
            }
    }
}

/// Why an answer cannot be used: a sentence's end, and the answer.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ want: String, _ have: String) { description = want + (have.isEmpty ? "" : "; found \"\(have.prefix(80))\"") }
}

extension UInt8 {
    var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLetter: Bool { isCapital || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
