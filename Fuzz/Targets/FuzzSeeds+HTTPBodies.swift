import AssayCore

extension FuzzSeeds {
    /// Envelopes with each flag, gzip members of each kind of block, envelopes as text, and frames of HTTP/2.
    static var httpBodies: [(name: String, bytes: [UInt8])] {
        let envelopes: [UInt8] = [0, 0, 0, 0, 0] + [1, 0, 0, 0, 3, 7, 7, 7] + [2, 0, 0, 0, 2] + Array("{}".utf8)
        let trailers = Array("grpc-status: 0\r\n".utf8)
        let web: [UInt8] = [0, 0, 0, 0, 2, 8, 1] + [0x80, 0, 0, 0, UInt8(trailers.count)] + trailers
        // Padding in the middle: each envelope was encoded alone.
        let text = Array((Base64.standard.encode(web.prefix(7)) + Base64.standard.encode(web.dropFirst(7))).utf8)
        let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0] + [0, 3, 0, 0, 0, 100]
        let head: [UInt8] = [0, 0, 1, 1, 1, 0, 0, 0, 1, 0x83] + [0, 0, 1, 9, 4, 0, 0, 0, 1, 0x84]
        let window: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0] + [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 1, 0, 0]
        let answer: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 7]
        return [
            ("header-blocks/before-calls", [2] + settings + window + answer),
            ("header-blocks/whole", [255] + settings + head), ("header-blocks/pieces", [2] + settings + head),
            ("envelope/whole", [255] + envelopes + web), ("envelope/pieces", [2] + envelopes + web),
            ("grpc-web-text/whole", [255] + text), ("grpc-web-text/pieces", [2] + text),
        ] + members.map { (name: "gzip/" + $0.name, bytes: Base64.standard.decode($0.text) ?? []) }
    }

    /// Written by zlib 1.2.13.
    private static let members = [
        (name: "fixed", text: "H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA=="),
        (name: "stored", text: "H4sIAAAAAAAEAwEGAPn/c3RvcmVkC/lDVgYAAAA="),
        (
            name: "dynamic-with-name",
            text:
                "H4sICAAAAAAC/2EAbZM7DsMwDEPvormDfpbl3KZLxyJLlwS5e7L3rQJNkyJ1ynvfZZPP7zjkJV/Z9Dr/ZgazhNmitwVDHzAMQiZxFn3epNIU/ThiM1E/ulpo"
                + "C335QGwTb3jiZjAB9JaJ2Cbe4aRhTNJb6K0QO5F3ooZGvQu9reKMcWmmuGEzjMM4O3MM2oJbkVyhwX0rLmdxkye23jq5n3hNrtxQ4yt1JW4PJSWeath+"
                + "dOnF6MnczUoW6g52GYY7eU4OLzFw35FPOjdh1Q1uNgUAAA=="
        ),
    ]
}
