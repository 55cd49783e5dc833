import Foundation

/// Text of commands that people paste into a shell.
package enum ShellWords {
    /// One word of a shell: in quotes where it needs them.
    package static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// A program beside this one, by its path unless every shell finds it.
    package static func program(_ name: String) -> String {
        let usual = ["/usr/bin", "/usr/local/bin", "/bin"]
        guard let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path,
            !usual.contains(folder), FileManager.default.isExecutableFile(atPath: folder + "/" + name)
        else { return name }
        return word(folder + "/" + name)
    }
}
