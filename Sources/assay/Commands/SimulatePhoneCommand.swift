public import ArgumentParser
import AssayCore
public import AssaySimulator

struct SimulatePhoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Make a virtual phone with a new key.",
        discussion: "An authority that is in the folder already is kept; its root is in root.pem.")

    @Argument(help: "The folder to keep it in.")
    var folder: String

    @Option(help: ArgumentHelp("Prefix and bundle identifier.", valueName: "PREFIX.bundle.id"))
    var appID: String

    @Option(help: "production or development.")
    var environment: VirtualPhone.Environment = .production

    @Option(help: "iOS or macOS.")
    var platform: VirtualPhone.Platform = .iOS

    @Option(help: "From 27 on, the phone reports validation category and bundle version.")
    var osVersion: String = "27.0"

    func validate() throws {
        guard let dot = appID.firstIndex(of: "."), dot != appID.startIndex, appID.last != "." else {
            throw ValidationError("--app-id is a prefix, a dot and a bundle identifier, such as TEAMID1234.com.example.app.")
        }
    }

    func run() throws {
        let home = PhoneFolder(path: folder)
        let key = try home.make { authority in
            VirtualPhone(
                authority: authority, appID: appID, environment: environment, platform: platform, osVersion: osVersion)
        }
        Console.print("key id  \(Base64.standard.encode(key.keyID))")
        Console.print("root    \(home.rootPath)")
    }
}

extension VirtualPhone.Environment: ExpressibleByArgument {}
extension VirtualPhone.Platform: ExpressibleByArgument {}
