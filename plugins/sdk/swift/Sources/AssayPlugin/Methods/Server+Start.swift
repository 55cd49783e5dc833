internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Describe, Validate, Configure and Health.
extension Server {
    static var protocolVersion: UInt32 { 1 }

    func describe() -> Assay_Plugin_V1_DescribeResponse {
        .with {
            $0.name = Data(description.name.utf8)
            $0.version = description.version
            $0.protocolVersions = [Self.protocolVersion]
            $0.formats = description.formats.map { .init($0) }
            $0.observes = description.observes
            $0.configurationKeys = description.configurationKeys.map { .init($0) }
            $0.hostServices = description.hostServices.compactMap { .init(rawValue: $0.rawValue) }
        }
    }

    func validate(_ request: Assay_Plugin_V1_ValidateRequest) -> Assay_Plugin_V1_ValidateResponse {
        let (_, problems) = Self.read(Array(request.configuration))
        return .with { $0.problems = problems }
    }

    func configure(_ request: Assay_Plugin_V1_ConfigureRequest) throws -> Assay_Plugin_V1_ConfigureResponse {
        guard plugin == nil else {
            throw Self.fault(
                .failedPrecondition, "already_configured",
                "a process is configured once: a changed configuration comes to a new one")
        }
        var (configured, problems) = Self.read(Array(request.configuration))
        if request.protocolVersion != Self.protocolVersion {
            let found =
                "the plugin speaks version \(Self.protocolVersion) of the protocol, the daemon chose \(request.protocolVersion)"
            problems.insert(.with { $0.sentence = found }, at: 0)
        }
        if problems.isEmpty { plugin = configured }
        return .with { $0.problems = problems }
    }

    func health() -> Assay_Plugin_V1_HealthResponse {
        .with { $0.problem = Text.sentence(plugin?.health() ?? "") }
    }

    /// The plugin that a configuration makes, and what is wrong with it.
    private static func read(_ document: [UInt8]) -> (Author?, [Assay_Plugin_V1_Problem]) {
        let problems = Setting.Problems()
        let configuration = Setting.reading(document, problems)
        var author: Author?
        if problems.list.isEmpty {
            do {
                author = try Author(configuration: configuration)
            } catch let refusal as Refusal {
                configuration.report(refusal.sentence)
            } catch {
                // Only the type: what an author's error says may be a secret.
                if problems.list.isEmpty { configuration.report("the plugin cannot use it: it threw \(type(of: error))") }
            }
        }
        return (
            author,
            problems.list.map { found in
                .with {
                    $0.path = found.path
                    $0.sentence = found.sentence
                }
            }
        )
    }
}
