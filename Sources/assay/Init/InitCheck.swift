import AssayConfiguration
import AssayDoctor
import AssaySchemes
import Foundation

/// What is to be said of a configuration that was written, by the rules of `assayd check-config --strict`.
struct InitCheck {
    let written: WrittenConfiguration
    /// Why the daemon would not start with it or work on this machine, or what is probably not meant so.
    let problems: [String]
    /// Why only the file was read, and this machine was not looked at; `nil`: it was.
    let unchecked: String?

    var isUsable: Bool { problems.isEmpty }

    init(of written: WrittenConfiguration) {
        self.written = written
        do throws(ConfigurationError) {
            _ = try Configuration.load(written.file)
        } catch {
            (problems, unchecked) = (error.problems.map { "\(Self.place($0.line))\($0.path): \($0.message)" }, nil)
            return
        }
        switch CheckConfigRun.run(on: written.file, as: nil) {
        case .unchecked(_, let why):
            (problems, unchecked) = ([], why)
        case .checked(_, _, let problems, let findings):
            let counted = findings.filter { !$0.isIntended && $0.severity != "note" }
            self.problems =
                problems.map { Self.place($0.line) + $0.text }
                + counted.map { "\(Self.place($0.line))\($0.severity): \($0.path.isEmpty ? "" : $0.path + ": ")\($0.message)" }
            unchecked = nil
        }
    }

    private static func place(_ line: Int?) -> String { line.map { "line \($0): " } ?? "" }
}
