extension FuzzSeeds {
    /// Questions of reflection, and the headers of proxies, a line of a header in each line.
    static var http: [(name: String, bytes: [UInt8])] {
        let questions: [(String, UInt8, String)] = [
            ("file", 3, "assay/v1/attestation.proto"), ("symbol", 4, "assay.v1.VerifyRequest.app"),
            ("numbers", 6, "assay.v1.Verdict"), ("services", 7, "*"),
        ]
        let host: [UInt8] = [0x0A, 1, 0x61]
        let requests = questions.map { name, field, text in
            ("reflection/" + name, host + [field << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8))
        }
        let extensions: [UInt8] = host + [0x2A, 5, 0x0A, 1, 0x62, 0x10, 7]
        let headers = [
            "elements": #"for=192.0.2.43;proto=https, For="[2001:DB8:cafe::17]:4711" ;by=_hidden"#,
            "quoted": #"for="198.51.100.\17:_p";host="a\"b,;=", for=10.0.0.2"#,
            "addresses": "unknown, 203.0.113.7:80,\t2001:db8::1 , 10.1.2.3",
            "both": "for=203.0.113.7\n203.0.113.7",
            "ranges": "10.0.0.0/8\n2001:db8::/32\n::ffff:192.0.2.0/120\n10.0.0.1/8\n192.0.2.7\n::/0",
        ]
        return requests + [("reflection/extension", extensions)] + headers.map { ("forwarded/" + $0, Array($1.utf8)) }
    }
}
