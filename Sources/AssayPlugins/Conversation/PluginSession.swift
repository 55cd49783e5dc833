import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// One process of a plugin, from its start to its end: described, configured, and open for calls.
package final class PluginSession: Sendable {
    package let process: PluginProcess
    package let description: PluginDescription
    let connection: PluginConnection
    let host: HostCalls
    /// The apps that it serves.
    let apps: Set<AppID>
    private let needs: (any AnyObject & Sendable)?

    private init(
        _ process: PluginProcess, _ description: PluginDescription, _ connection: PluginConnection, _ host: HostCalls,
        apps: [AppID], needs: (any AnyObject & Sendable)?
    ) {
        (self.apps, self.needs) = (Set(apps), needs)
        (self.process, self.description, self.connection, self.host) = (process, description, connection, host)
    }

    /// What a session is opened with.
    package struct Setup: Sendable {
        /// The name of the catalog's entry.
        package var name: String
        package var launch: Launch
        package var configuration: PluginConfiguration
        /// The apps that it serves; empty: all.
        package var apps: [AppID]
        /// The services of the host that the catalog allows.
        package var services: Set<HostService>
        package var host: any PluginHost
        /// What the process needs as long as it lives, such as the private copy of its folder: held as long as the session.
        package var needs: (any AnyObject & Sendable)?
        /// From the start until Describe is answered, and again until Configure is.
        package var startDeadline: Duration = .seconds(10)

        package init(
            name: String, launch: Launch, configuration: PluginConfiguration, apps: [AppID] = [],
            services: Set<HostService> = [],
            host: any PluginHost
        ) {
            (self.name, self.launch, self.configuration) = (name, launch, configuration)
            (self.apps, self.services, self.host) = (apps, services, host)
        }
    }

    /// Starts a process, checks what it says of itself, and configures it. A process that fails on the way is ended.
    package static func open(_ setup: Setup, daemonVersion: String) async throws(SessionFailure) -> PluginSession {
        let process: PluginProcess
        do throws(LaunchFailure) {
            process = try await PluginProcess.start(setup.launch, within: setup.startDeadline) { line in
                setup.host.log(.info, line, [])
            }
        } catch { throw .launch(error) }
        let host = HostCalls(setup.host, plugin: setup.name)
        do {
            let connection = try await PluginConnection(process.socket, host: host)
            let description = try await describe(connection, setup, daemonVersion)
            let services = description.hostServices
            guard services.isSubset(of: setup.services) else {
                let missing = services.subtracting(setup.services).map(\.rawValue).sorted().joined(separator: ", ")
                throw PluginFault("the plugin asks for services of the host that the catalog does not allow: \(missing)")
            }
            host.allow(services)
            try await configure(connection, setup, description)
            return PluginSession(process, description, connection, host, apps: setup.apps, needs: setup.needs)
        } catch {
            process.kill()
            let end = await process.end
            throw SessionFailure(error, end, process.lastLines)
        }
    }

    private static func describe(
        _ connection: PluginConnection, _ setup: Setup, _ daemonVersion: String
    ) async throws -> PluginDescription {
        let response: Assay_Plugin_V1_DescribeResponse = try await connection.call(
            .describe,
            Assay_Plugin_V1_DescribeRequest.with {
                ($0.protocolVersions, $0.daemonVersion) = (PluginDescription.protocolVersions, daemonVersion)
            }, timeout: .enforced(setup.startDeadline))
        return try PluginDescription(response, expected: setup.name)
    }

    private static func configure(
        _ connection: PluginConnection, _ setup: Setup, _ description: PluginDescription
    ) async throws {
        let configuration = try setup.configuration.message(for: description)
        let response: Assay_Plugin_V1_ConfigureResponse = try await connection.call(
            .configure,
            Assay_Plugin_V1_ConfigureRequest.with {
                $0.protocolVersion = description.protocolVersion
                $0.configuration = Data(configuration)
                $0.apps = setup.apps.map { Data($0.text.utf8) }
            }, timeout: .enforced(setup.startDeadline))
        guard response.problems.isEmpty else { throw ConfigurationRefused(response.problems) }
    }
}

/// Why a process of a plugin cannot be used.
package enum SessionFailure: Error, Sendable, CustomStringConvertible {
    /// It did not start.
    case launch(LaunchFailure)
    /// It refuses its configuration: each problem with its path.
    case configuration([PluginProblem])
    /// It broke the contract.
    case contract(PluginFault)
    /// It did not answer, or ended: the error of the call, how it ended, and its last lines.
    case lost(String, ProcessEnd, lastLines: [String])

    package var description: String {
        switch self {
        case .launch(let failure): failure.description
        case .configuration(let problems):
            "the plugin refuses its configuration: " + problems.map(\.description).joined(separator: "; ")
        case .contract(let fault): fault.description
        case .lost(let error, let end, let lines):
            Self.loss(error, end) + (lines.last.map { "; its last line: \($0)" } ?? "")
        }
    }

    /// A process that ended by itself says more than the call that it did not answer; one that did not was killed.
    private static func loss(_ error: String, _ end: ProcessEnd) -> String {
        end == .killed(signal: 9) ? "the plugin did not get ready: \(error)" : "the plugin \(end) before it was ready"
    }

    fileprivate init(_ error: any Error, _ end: ProcessEnd, _ lines: [String]) {
        switch error {
        case let fault as PluginFault: self = .contract(fault)
        case let refused as ConfigurationRefused: self = .configuration(refused.problems)
        default: self = .lost("\(error)", end, lastLines: lines)
        }
    }
}

/// What a plugin says is wrong with its configuration.
package struct PluginProblem: Hashable, Sendable, CustomStringConvertible {
    /// Keys and indices, such as `secrets[2].id`; empty for the whole.
    package let path: String
    package let sentence: String

    package var description: String { path.isEmpty ? sentence : "\(path): \(sentence)" }

    /// The problems that are shown of one answer.
    static let limit = 100

    static func read(_ problems: [Assay_Plugin_V1_Problem]) -> [PluginProblem] {
        problems.prefix(limit).map {
            PluginProblem(path: PluginText.sentence($0.path), sentence: PluginText.sentence($0.sentence))
        }
    }
}

private struct ConfigurationRefused: Error {
    let problems: [PluginProblem]
    init(_ problems: [Assay_Plugin_V1_Problem]) { self.problems = PluginProblem.read(problems) }
}
