/// Why there is no registration, or why an upload was not stored. `action` says what the app does.
public enum PhoneError: Error, Hashable, Sendable {
    /// The device has no App Attest (`isSupported`, `DCError.featureUnsupported`): an old or virtual device, or an app extension.
    case notSupported
    /// Apple's server was not reached (`DCError.serverUnavailable`, or no answer in time). The key is kept, and the next call goes on
    /// with it.
    case appleUnavailable
    /// A key that was just made is of no use, and discarded: Apple's calls failed, or made none. Without an Apple error the backend
    /// asked for another one.
    case keyUnusable(AppAttestError?)
    /// As many keys were made as the settings allow. `after`: when the next is allowed.
    case tooManyKeys(after: Duration)
    /// The backend was not reached, or said "later", in all tries. `after`: its `Retry-After`, if it had one.
    case backendUnavailable(after: Duration?)
    /// The backend refused every challenge of this upload, or that of the registration, as not fresh.
    case challengesRefused
    /// The backend does not know who is signed in (401).
    case signedOut
    /// The backend refused what was sent, and another try cannot help.
    case refused(Refusal)
    /// What answered is not the backend, or does not speak its form. The text is for developers.
    case wrongAnswer(String)
    /// The store cannot be read or written now, such as the Keychain before the first unlock. No key was made.
    case storeUnavailable(String)
    /// The task was cancelled. A registration that had begun goes on, so that its key is not wasted.
    case cancelled
}

extension PhoneError {
    /// What the app does next.
    public enum Action: Hashable, Sendable {
        /// Call again later, with the same upload id; not before `after`, if it is known.
        case tryLater(after: Duration?)
        /// Let the user sign in, then call again.
        case signIn
        /// Go the app's way for devices without attestation.
        case goWithoutAttestation
        /// Tell the user to contact support: a person has to change something.
        case contactSupport
        /// Tell the user that this upload is not accepted, and drop it.
        case giveUp
        /// The app itself ended the call.
        case nothing
    }

    public var action: Action {
        switch self {
        case .notSupported: .goWithoutAttestation
        case .appleUnavailable, .keyUnusable, .challengesRefused, .storeUnavailable: .tryLater(after: nil)
        case .tooManyKeys(let after): .tryLater(after: after)
        case .backendUnavailable(let after): .tryLater(after: after)
        case .signedOut: .signIn
        case .refused(.contactOperator): .contactSupport
        case .refused(.never), .refused(.unspecified), .wrongAnswer: .giveUp
        case .cancelled: .nothing
        }
    }
}

/// How final a refusal is: the retry class of the daemon, as far as the backend passes it on.
public enum Refusal: Hashable, Sendable {
    /// The same can never be accepted.
    case never
    /// Only an operator of the service can help.
    case contactOperator
    /// The backend said `give_up`, or no word.
    case unspecified
}
