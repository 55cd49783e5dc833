import AssayClient
import AssayCore

/// Asks for challenges, and does nothing with them.
struct ChallengeOperation: LoadOperation {
    let name = LoadKind.challenge.rawValue
    let app: AppID
    let clients: LoadClients

    func next() -> LoadCall? {
        let (app, client, timeout) = (app, clients.next, clients.timeout)
        return {
            do throws(AssayError) {
                _ = try await client.issueChallenge(app: app, purpose: .assert, timeout: timeout)
                return CallAnswer("issued", isExpected: true)
            } catch {
                return CallAnswer(error)
            }
        }
    }

    func keepReady() async {}
}
