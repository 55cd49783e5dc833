import AssayAPI
import AssayCore
import Foundation

/// The results of the lines of an import file so far.
struct ImportTally {
    let file: String
    private(set) var added = 0
    private(set) var present = 0
    private(set) var conflicts = 0
    private(set) var refused = 0
    private(set) var unreadable = 0
    /// Whether standard error is a terminal.
    private let isWatched = isatty(STDERR_FILENO) != 0
    private var showsProgress = false

    init(file: String) { self.file = file == "-" ? "standard input" : file }

    /// The device of a line; an unreadable line is reported and counted.
    mutating func readable(_ line: ImportFile.Line) -> ImportLine? {
        do throws(ImportProblem) {
            return try ImportLine(line)
        } catch {
            unreadable += 1
            tell(line.number, error.text)
            return nil
        }
    }

    mutating func count(_ results: [Assay_V1_ImportDevicesResponse.Result], of lines: [ImportLine]) {
        for (line, result) in zip(lines, results) {
            switch result.outcome {
            case .added: added += 1
            case .present: present += 1
            case .conflict:
                conflicts += 1
                let device = DeviceID(bytes: Array(result.deviceID))?.description ?? "another device"
                tell(line.number, "conflict: \(device) has the key and says something else")
            case .refused, .unspecified, .UNRECOGNIZED:
                refused += 1
                tell(line.number, "refused: \(result.reason): \(result.detail.printable)")
            }
        }
    }

    private mutating func tell(_ number: Int, _ problem: String) {
        endProgress()
        Console.error("\(file):\(number): \(problem)")
    }

    var sentence: String {
        "\(added) added, \(present) already there, \(conflicts) in conflict, \(refused) refused, \(unreadable) unreadable"
    }

    var json: [String: Any] {
        [
            "added": added, "present": present, "conflicts": conflicts, "refused": refused, "unreadable": unreadable,
        ]
    }

    var exitStatus: Int32 { unreadable > 0 ? 65 : conflicts + refused > 0 ? 1 : 0 }

    // MARK: Progress

    /// Overwrites the previous progress line, on a terminal.
    mutating func showProgress() {
        guard isWatched else { return }
        FileHandle.standardError.write(Data("\r\(file): \(sentence)".utf8))
        showsProgress = true
    }

    mutating func endProgress() {
        if showsProgress { FileHandle.standardError.write(Data("\n".utf8)) }
        showsProgress = false
    }
}
