import AssayAPI
import AssayMetrics
import SwiftProtobuf

extension Assay_V1_MetricsResponse {
    /// The samples of a scrape, under the names that queries have.
    init(_ exposition: Exposition) {
        self = .with {
            $0.families = exposition.families.map { family, samples in
                .with {
                    $0.name = family.queryName
                    $0.kind = family.kind.rawValue
                    $0.labels = family.labels
                    $0.series = samples.map(Series.init)
                }
            }
        }
    }
}

extension Assay_V1_MetricsResponse.Series {
    fileprivate init(_ sample: Exposition.Sample) {
        self = .with {
            $0.labels = sample.labels
            switch sample.value {
            case .integer(let value): $0.value = Double(value)
            case .number(let value): $0.value = value
            case .histogram(let snapshot):
                $0.histogram.bounds = snapshot.bounds
                $0.histogram.counts = snapshot.counts
                $0.histogram.sum = snapshot.sum
            }
        }
    }
}
