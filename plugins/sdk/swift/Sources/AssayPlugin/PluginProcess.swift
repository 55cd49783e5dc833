/// The process of a plugin: how it starts, and the status with which it ends.
enum PluginProcess {
    private static let cookie = "1b5f6a40-assay-plugin-v1"
    private static let socket: Int32 = 3
    private static let startedByHand: Int32 = 64

    static func run<Author: Plugin>(_: Author.Type) -> Int32 {
        let name = Author.description.name
        guard System.environment("ASSAY_PLUGIN_COOKIE") == cookie else {
            System.complain(
                "\(name): this is a plugin of Assay: it is started by assayd, which finds it in plugins.d, and does nothing by hand."
            )
            return startedByHand
        }
        System.ignoreBrokenPipes()
        do throws(Connection.Fault) {
            try Server<Author>(Channel(Connection(descriptor: socket))).run()
            return 0
        } catch {
            System.complain("\(name): \(error.sentence)")
            return 1
        }
    }
}
