/// A configuration with nothing that may be left out.
enum SmallConfiguration {
    static let text = """
        listen: [{unix: a.sock}]
        store: {path: ledger.db}
        callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}
        apps:
          photos:
            app_attest:
              identities: [{app_id: TEAMID1234.com.example.photos}]
        """
}
