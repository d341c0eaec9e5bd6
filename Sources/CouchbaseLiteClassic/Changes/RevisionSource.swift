internal import CBLStore
import Foundation

/// Where a revision comes from.
public enum RevisionSource: Hashable, Sendable {
    /// This program has made it.
    case local
    /// It was pulled from a remote, or, without a URL, pushed by somebody who has connected. The user is who has logged in, the channels are those that
    /// the pull is limited to, both as far as they are known.
    case remote(URL?, user: String?, channels: [String])

    /// The remote that it was pulled from.
    public var url: URL? {
        if case .remote(let url, _, _) = self { url } else { nil }
    }

    init(_ origin: RevisionOrigin?) {
        guard let origin else {
            self = .local
            return
        }
        self = .remote(origin.url.flatMap { URL(string: $0) }, user: origin.user, channels: origin.channels)
    }
}
