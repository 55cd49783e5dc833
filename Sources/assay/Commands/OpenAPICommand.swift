import ArgumentParser
import AssayAPI

struct OpenAPICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Print the interface over HTTP as OpenAPI 3.1.",
        discussion: "No daemon is asked: the document is that of this version.")

    @Option(help: "The form of the document.")
    var format: Format = .yaml

    enum Format: String, CaseIterable, ExpressibleByArgument { case yaml, json }

    func run() {
        switch format {
        case .yaml: Console.writeText(OpenAPIDocument.yaml())
        case .json: Console.write(OpenAPIDocument.json() + Array("\n".utf8))
        }
    }
}
