import AssayCore
import Foundation

/// What `assayd dev` prints before the log.
struct DevText {
    let folder: DevFolder
    let ports: DevPorts

    var text: String {
        """
        assayd \(Version.text), to try it out: the devices are virtual, and nothing stays.

          HTTP      \(ports.url)    JSON, gRPC and Connect; no key is needed
          framed    \(ports.server)           for assay and the clients
          folder    \(folder.path)    assayd.yaml, the ledger, phone-1, phone-2, android, camera

        Paste into another terminal. A phone uploads a photo; an Android device registers, uploads and is attacked; a camera's image is checked:

        \(lines.map { "  " + $0 }.joined(separator: "\n"))

        Ctrl-C ends it and removes the folder. The log:


        """
    }

    /// Three commands that work in any shell of this machine.
    var lines: [String] {
        let assay = Self.word(Self.assay)
        return [
            "curl -sS -H 'content-type: application/json' -d @\(Self.word(folder.upload)) "
                + "\(ports.url)/v1/attestation/verify; echo",
            "\(assay) simulate android session \(Self.word(folder.file("android"))) --app photos --server \(ports.server)",
            "\(assay) verify --app cameras --bundle \(Self.word(folder.bundle)) --server \(ports.server)",
        ]
    }

    /// The program beside this one, by its path unless every shell finds it.
    private static var assay: String {
        let usual = ["/usr/bin", "/usr/local/bin", "/bin"]
        guard let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path,
            !usual.contains(folder), FileManager.default.isExecutableFile(atPath: folder + "/assay")
        else { return "assay" }
        return folder + "/assay"
    }

    /// One word of a shell.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
