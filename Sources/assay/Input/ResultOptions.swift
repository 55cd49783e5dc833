import ArgumentParser
import AssayCore

/// The signed results to ask for beside a verdict, all for one audience.
struct ResultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Have an accepted verdict signed in this shape, too; may be repeated.", valueName: "shape"))
    var result: [ResultShape] = []

    @Option(
        help: ArgumentHelp("Whom the results are for: an audience that the app's configuration lists.", valueName: "audience"))
    var audience: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "8 to 64 bytes that the audience gave you, so that it knows the results to be new.", valueName: "bytes"))
    var nonce: BytesArgument?

    @Option(help: ArgumentHelp("Write the one result's token to this file.", valueName: "file"))
    var resultFile: String?

    func validate() throws {
        guard result.isEmpty == (audience == nil) else { throw ValidationError("Give --result and --audience together.") }
        guard !result.isEmpty || nonce == nil && resultFile == nil else {
            throw ValidationError("Give --nonce and --result-file with --result.")
        }
        guard resultFile == nil || result.count == 1 else { throw ValidationError("Give --result-file with one --result.") }
    }

    var requests: [ResultRequest] {
        result.map { ResultRequest(shape: $0, audience: audience ?? "", nonce: nonce?.bytes ?? []) }
    }
}
