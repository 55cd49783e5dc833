import AssayAPI
import AssayMetrics

/// The CAs of device certificates, by their names in the configuration.
enum AuthorityMetrics: StatusSubject {
    private static let state = MetricFamily(
        "assay_authority_state", .gauge, labels: ["authority", "state"], "1 for the state that the CA has.")
    private static let end = MetricFamily(
        "assay_authority_end_timestamp_seconds", .gauge, unit: .seconds, labels: ["authority"],
        "When the certificate of the CA ends, in seconds since 1970.")
    private static let failing = MetricFamily(
        "assay_authority_failing", .gauge, labels: ["authority"],
        "1 if the CA cannot sign, although its state says that it does.")
    private static let nextUpdate = MetricFamily(
        "assay_revocation_list_next_update_timestamp_seconds", .gauge, unit: .seconds, labels: ["authority"],
        "By when the revocation list of the CA is replaced, in seconds since 1970. Missing for a CA without a list.")
    private static let listFailing = MetricFamily(
        "assay_revocation_list_failing", .gauge, labels: ["authority"],
        "1 if the revocation list of the CA cannot be renewed or published.")

    static var families: [MetricFamily] { [state, end, failing, nextUpdate, listFailing] }

    private static let states: [(String, Assay_V1_Authority.State)] = [
        ("next", .next), ("signing", .signing), ("retiring", .retiring), ("ended", .ended),
    ]

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        for authority in status.authorities {
            let name = [authority.name]
            exposition.add(state, authority.name, states, now: authority.state)
            exposition.add(end, name, unixMilliseconds: authority.notAfterUnixMs)
            exposition.add(failing, name, isTrue: !authority.problem.isEmpty)
            exposition.add(nextUpdate, name, unixMilliseconds: authority.revocationListNextUpdateUnixMs)
            exposition.add(listFailing, name, isTrue: !authority.revocationListProblem.isEmpty)
        }
    }
}
