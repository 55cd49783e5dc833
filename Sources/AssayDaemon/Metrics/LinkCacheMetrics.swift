import AssayCertificates
import AssayMetrics

/// The cache of certificates whose issuer's signature is known to be good.
struct LinkCacheMetrics: MetricsCollector {
    private static let entries = MetricFamily(
        "assay_cache_entries", .gauge, labels: ["cache"], "Entries of a cache.")

    let links: LinkCache

    var metricFamilies: [MetricFamily] { [.cacheLookUps, Self.entries] }

    func collect(into exposition: inout Exposition) {
        let lookUps = links.lookUps
        exposition.add(.cacheLookUps, ["link", "hit"], count: lookUps.hits)
        exposition.add(.cacheLookUps, ["link", "miss"], count: lookUps.misses)
        exposition.add(Self.entries, ["link"], count: links.count)
    }
}
