import AssayClient
import Foundation
import Testing

/// An `assayd` process that listens.
struct TestDaemon: Sendable {
    let child: Child
    /// Retained as long as the daemon needs it.
    let home: TestHome
    /// The addresses that it prints.
    let addresses: [String]

    /// Starts the daemon of a home and waits until it listens at that many addresses.
    ///
    /// - Parameter shell: commands that a shell runs before it becomes the daemon.
    init(_ home: TestHome, addresses count: Int = 1, shell: String = ":") async throws {
        self.home = home
        let command = [try Child.built("assayd"), "--config", home.configuration]
        child = try Child("/bin/sh", ["-c", shell + #"; exec "$0" "$@""#] + command, within: .seconds(1500))
        var found: [String] = []
        while found.count < count {
            guard child.isRunning else {
                let ending = await child.ending()
                throw DidNotStart(description: "assayd ended: \(ending)")
            }
            try await Task.sleep(for: .milliseconds(20))
            found = Self.addresses(in: child.err)
        }
        addresses = found
    }

    private static func addresses(in log: String) -> [String] {
        var found: [String] = []
        // The last line may be incomplete.
        for line in log.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            for word in line.split(separator: " ") where word.hasPrefix("address=") {
                let address = String(word.dropFirst("address=".count))
                if !found.contains(address) { found.append(address) }
            }
        }
        return found
    }

    func address(_ scheme: String) throws -> String { try #require(addresses.first { $0.hasPrefix(scheme + ":") }) }

    /// A client that reports every failure at once.
    func connect(_ scheme: String = "tcp") async throws -> AssayClient {
        try await AssayClient.connect(to: try address(scheme), options: ClientOptions(retry: .once))
    }

    /// Stops it and waits for its end.
    @discardableResult
    func stop() async -> Child.Ending {
        child.signal(SIGTERM)
        return await child.ending()
    }

    struct DidNotStart: Error, CustomStringConvertible { let description: String }
}
