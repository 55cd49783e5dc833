import AssayAPI
import AssayMetrics

/// The daemon's TLS certificate and the CAs of its callers.
enum CertificateMetrics: StatusSubject {
    private static let end = MetricFamily(
        "assay_tls_certificate_end_timestamp_seconds", .gauge, unit: .seconds, labels: ["use", "file"],
        "When the certificate in use ends, or the first one of the file, in seconds since 1970; use is server or caller_ca.")

    static var families: [MetricFamily] { [end] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        var first: [[String]: Int64] = [:]
        for certificate in status.certificates {
            let labels = [certificate.use == .server ? "server" : "caller_ca", certificate.file]
            first[labels] = min(first[labels] ?? .max, certificate.notAfterUnixMs)
        }
        for (labels, time) in first.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            exposition.add(end, labels, unixMilliseconds: time)
        }
    }
}
