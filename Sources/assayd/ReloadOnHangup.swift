import AssayDaemon
import ServiceLifecycle
import UnixSignals

/// Reloads the configuration at each SIGHUP.
struct ReloadOnHangup: Service {
    let hangups: UnixSignalsSequence
    let reloader: Reloader
    let manager: ServiceManager

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in hangups {
                let problem = await reloader.reload()
                manager.status(problem.map { "configuration refused: \($0)" } ?? "configuration loaded")
            }
        }
    }
}
