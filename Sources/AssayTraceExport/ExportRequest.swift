package import AssayOTLP
package import AssayTracing
import Foundation
import SwiftProtobuf

/// Names the process in what is exported.
package struct TraceResource: Hashable, Sendable {
    package let version: String
    /// Told apart from every other process, also after a restart.
    package let instance: String

    package init(version: String, instance: String) { (self.version, self.instance) = (version, instance) }
}

extension Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest {
    /// The spans as OTLP carries them.
    package init(_ spans: [Span], of resource: TraceResource) {
        self = .with { request in
            request.resourceSpans = [
                .with {
                    $0.resource.attributes = [
                        .text("service.name", "assayd"), .text("service.version", resource.version),
                        .text("service.instance.id", resource.instance),
                    ]
                    $0.scopeSpans = [
                        .with {
                            $0.scope.name = "assay"
                            $0.scope.version = resource.version
                            $0.spans = spans.map(Opentelemetry_Proto_Trace_V1_Span.init)
                        }
                    ]
                }
            ]
        }
    }
}

extension Opentelemetry_Proto_Trace_V1_Span {
    init(_ span: Span) {
        self = .with {
            $0.traceID = Data(span.traceID.bytes)
            $0.spanID = Data(span.id.bytes)
            if let parent = span.parent { $0.parentSpanID = Data(parent.bytes) }
            $0.traceState = span.state
            // Sampled, and whether the parent is in another process (OTLP, SpanFlags).
            $0.flags = 0x101 | (span.parentIsRemote ? 0x200 : 0)
            $0.name = span.name
            $0.kind =
                switch span.kind {
                case .internal: .internal
                case .server: .server
                case .client: .client
                }
            $0.startTimeUnixNano = span.start
            $0.endTimeUnixNano = span.end
            $0.attributes = span.attributes.map(Opentelemetry_Proto_Common_V1_KeyValue.init)
            if case .error(let message) = span.status {
                $0.status.code = .error
                $0.status.message = message
            }
        }
    }
}

extension Opentelemetry_Proto_Common_V1_KeyValue {
    fileprivate init(_ attribute: SpanAttribute) {
        self = .with {
            $0.key = attribute.name
            switch attribute.value {
            case .text(let text): $0.value.stringValue = text
            case .integer(let integer): $0.value.intValue = integer
            case .truth(let truth): $0.value.boolValue = truth
            }
        }
    }

    fileprivate static func text(_ key: String, _ value: String) -> Self {
        .with {
            $0.key = key
            $0.value.stringValue = value
        }
    }
}
