package import AssayAPI
import Synchronization

/// Where `Operations.Metrics` gets the metrics: they are gathered by what is composed after the methods.
package final class MetricsSource: Sendable {
    package typealias Read = @Sendable () async -> Assay_V1_MetricsResponse

    private let read = Mutex<Read?>(nil)

    package init() {}

    package func use(_ read: @escaping Read) { self.read.withLock { $0 = read } }

    /// Empty before there is a source.
    package var response: Assay_V1_MetricsResponse {
        get async {
            guard let read = read.withLock({ $0 }) else { return Assay_V1_MetricsResponse() }
            return await read()
        }
    }
}
