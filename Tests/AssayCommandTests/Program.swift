import Testing

@testable import AssayCommandLine
@testable import DaemonTesting
@testable import assay
@testable import assayd

/// The programs. What they answer without running a command is the same in this process, which has parsed its commands before, as in
/// one that is started for it.
enum Program: String, CaseIterable, CustomTestStringConvertible {
    case assay, assayd

    var testDescription: String { rawValue }

    /// What it answers words with that run no command.
    func answer(to words: [String], columns: Int? = nil) async -> CommandAnswer? {
        switch self {
        case .assay: await Assay.answer(to: words, moving: Assay.movable, columns: columns)
        case .assayd: await Assayd.answer(to: words, moving: Assayd.movable, columns: columns)
        }
    }

    /// All its commands, as the parser describes them.
    func described() throws -> CommandDescription {
        switch self {
        case .assay: try #require(CommandDescription.of(Assay.self))
        case .assayd: try #require(CommandDescription.of(Assayd.self))
        }
    }

    /// The help of the command that these words name.
    func help(of words: [String], columns: Int) async throws -> String {
        let answer = await answer(to: words + ["--help"], columns: columns)
        guard case .text(let help)? = answer else {
            throw NoHelp(description: "\(rawValue) \(words) has no help: \(String(describing: answer))")
        }
        return help
    }

    struct NoHelp: Error, CustomStringConvertible { let description: String }

    /// Runs it to its end, in a window of so many columns.
    func run(_ words: [String], columns: Int) async throws -> Child.Ending {
        try await Child.run(rawValue, words, environment: ["COLUMNS": String(columns)])
    }
}
