import AssayCommandLine
import AssayCore

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
        let assay = ShellWords.program("assay")
        return [
            "curl -sS -H 'content-type: application/json' -d @\(ShellWords.word(folder.upload)) "
                + "\(ports.url)/v1/attestation/verify; echo",
            "\(assay) simulate android session \(ShellWords.word(folder.file("android"))) --app photos --server \(ports.server)",
            "\(assay) verify --app cameras --bundle \(ShellWords.word(folder.bundle)) --server \(ports.server)",
        ]
    }
}
