import ArgumentParser
import AssayCore
import Foundation

struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a new plugin that builds and passes its tests.",
        discussion: """
            Copies the template of the language, the SDK, and its tests into a folder that needs nothing beside it, and writes an entry \
            for the catalog. The plugin appraises an HMAC; the checks are yours to write.

            The templates are found beside this program (share/assay/plugins), as a package puts them there, or in the sources of a build. \
            ASSAY_PLUGIN_SDK names another folder, and --sdk one that comes before that.

            C needs a compiler, libprotobuf-c and libcrypto; Python needs python3 with protobuf; Swift needs Swift 6.2 and libcrypto. \
            The tests need python3 with protobuf, and protoc.

            Exit status: 0 done; 65 the folder is not empty, or cannot be written; 69 the templates are not found.
            """)

    enum Language: String, CaseIterable, ExpressibleByArgument { case c, python, swift }

    @Option(help: "The language.")
    var language: Language

    @Argument(help: ArgumentHelp("The plugin's name, of a-z, 0-9 and -, at most 64.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The folder to make; the name, if this is not given.", valueName: "folder"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The folder plugins of Assay's sources, or share/assay/plugins of an installation; its templates are used, and no others.",
            valueName: "folder"))
    var sdk: String?

    func validate() throws {
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isName, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw ValidationError("The name is 1 to 64 of a-z, 0-9 and -, and does not begin with -; found \"\(name)\".")
        }
    }

    func run() throws {
        let places = Self.places(sdk)
        guard let source = places.first(where: { PluginSkeleton.isComplete($0, language.rawValue) }) else {
            throw Console.failure(
                "templates_missing",
                "the templates for \(language.rawValue) were not found (--sdk or ASSAY_PLUGIN_SDK names the folder plugins of Assay's sources, "
                    + "or share/assay/plugins of an installation); looked in " + places.joined(separator: ", "), status: 69)
        }
        let folder = URL(fileURLWithPath: output ?? name).standardizedFileURL.path
        do {
            try PluginSkeleton(name: name, language: language, source: source, folder: folder).write()
        } catch let error as PluginSkeleton.Failure {
            throw Console.unreadable(error.description)
        } catch {
            throw Console.unreadable("\(folder) cannot be written: \(error.localizedDescription)")
        }
        Console.print(PluginSkeleton.nextSteps(name: name, language: language, folder: folder))
    }

    /// Where the templates may be, the most particular place first.
    private static func places(_ option: String?) -> [String] {
        if let option { return [URL(fileURLWithPath: option).standardizedFileURL.path] }
        var places: [String] = []
        if let variable = ProcessInfo.processInfo.environment["ASSAY_PLUGIN_SDK"], !variable.isEmpty { places.append(variable) }
        let bin = URL(fileURLWithPath: ProgramFile.path ?? "/usr/bin/assay").deletingLastPathComponent()
        places.append(bin.deletingLastPathComponent().appending(path: "share/assay/plugins").path)
        // A build from the repository.
        let parts = bin.pathComponents
        if let build = parts.lastIndex(of: ".build") {
            places.append(NSString.path(withComponents: Array(parts[..<build])) + "/plugins")
        }
        return places
    }
}
