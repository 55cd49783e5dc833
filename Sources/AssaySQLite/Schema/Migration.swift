/// One step of the schema, from the version before it to `version`. A released step is never edited; the next one is added.
struct Migration: Sendable {
    let version: Int64
    let sql: String
}
