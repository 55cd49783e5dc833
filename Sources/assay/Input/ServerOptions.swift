import ArgumentParser
import AssayClient
import Foundation

/// Where the daemon is, and how long to wait for it.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon: host:port or unix:/path.", valueName: "address"))
    var server: String?

    @Option(help: "Seconds that a call may take, its repetitions included.")
    var timeout: Double = 10

    @Option(help: "How often a call is repeated while the daemon is unavailable. A person sees the failure sooner without.")
    var retries: Int = 0

    func validate() throws {
        guard timeout > 0, timeout <= 3600 else { throw ValidationError("--timeout must be above 0 and at most 3600 seconds.") }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be from 0 to 100.") }
    }

    var address: String { server ?? ProcessInfo.processInfo.environment["ASSAY_SERVER"] ?? "127.0.0.1:7421" }
    var limit: Duration { .milliseconds(Int64(timeout * 1000)) }

    /// Connects, does the work, and closes; says for people what failed, with the exit status that fits.
    func with<T>(_ work: (AssayClient) async throws(AssayError) -> T) async throws -> T {
        do throws(AssayError) {
            let options = ClientOptions(retry: RetryRule(tries: retries + 1), timeout: limit)
            let client = try await AssayClient.connect(to: address, options: options)
            let result: T
            do throws(AssayError) {
                result = try await work(client)
            } catch {
                await client.close()
                throw error
            }
            await client.close()
            return result
        } catch {
            Console.error("\(address): \(error)")
            throw ExitCode(error.exitStatus)
        }
    }
}

extension AssayError {
    /// As `sysexits.h` numbers them.
    fileprivate var exitStatus: Int32 {
        switch code {
        case .permissionDenied, .unauthenticated: 77
        case .invalidArgument: 65
        case .notFound: 1
        default: 69
        }
    }
}
