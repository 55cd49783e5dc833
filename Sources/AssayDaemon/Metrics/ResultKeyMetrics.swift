import AssayAPI
import AssayCore
import AssayMetrics

/// The keys of results, by their issuer: `devices` or `simulated_devices`.
enum ResultKeyMetrics: StatusSubject {
    private static let signing = MetricFamily(
        "assay_result_signing", .gauge, labels: ["issuer"],
        "1 if this daemon signs results of the issuer (devices or simulated_devices); missing without a section results.")
    private static let end = MetricFamily(
        "assay_result_signing_end_timestamp_seconds", .gauge, unit: .seconds, labels: ["issuer"],
        "When results are signed no more unless a key is added, in seconds since 1970. Missing while no key signs.")
    private static let keys = MetricFamily(
        "assay_result_keys", .gauge, labels: ["issuer", "state"],
        "Published keys of results by state: next (signs nothing yet), signing, last (signs no more).")
    private static let missing = MetricFamily(
        "assay_result_key_missing", .gauge, labels: ["issuer"],
        "1 if this daemon does not have the key that signs results next, or its key in memory gets no successor.")

    static var families: [MetricFamily] { [signing, end, keys, missing] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        for issuer in status.resultIssuers {
            let kind: ResultPublicKey.Issuer = issuer.simulated ? .simulatedDevices : .devices
            exposition.add(signing, [kind.name], isTrue: issuer.problem.isEmpty)
            exposition.add(end, [kind.name], unixMilliseconds: issuer.signingEndsUnixMs)
            let counts = [
                ("next", Int(issuer.waitingKeys)), ("signing", issuer.signingKid.isEmpty ? 0 : 1),
                ("last", Int(issuer.pastKeys)),
            ]
            for (state, count) in counts { exposition.add(keys, [kind.name, state], count: count) }
            exposition.add(missing, [kind.name], isTrue: !issuer.nextProblem.isEmpty)
        }
    }
}
