/// What says which state something is in.
package struct HTTPValidators: Hashable, Sendable {
    package var tag: EntityTag?
    package var modified: HTTPDate?

    package init(tag: EntityTag? = nil, modified: HTTPDate? = nil) {
        self.tag = tag
        self.modified = modified
    }
}

/// The conditions that a request sets (RFC 9110, section 13), as a value.
///
///     switch HTTPConditions(request.headers).outcome(request.method, of: HTTPValidators(tag: revision)) { … }
package struct HTTPConditions: Hashable, Sendable {
    package enum Outcome: Sendable {
        case met
        /// The answer is 304: the client has it.
        case notModified
        /// The answer is 412: it is not in the state that the client thinks.
        case failed
    }

    private let match: EntityTagList?
    private let noneMatch: EntityTagList?
    private let modifiedSince: HTTPDate?
    private let unmodifiedSince: HTTPDate?
    private let range: String?

    package init(_ headers: HTTPHeaders) {
        match = EntityTagList(headers, "If-Match")
        noneMatch = EntityTagList(headers, "If-None-Match")
        modifiedSince = headers["If-Modified-Since"].flatMap { HTTPDate($0) }
        unmodifiedSince = headers["If-Unmodified-Since"].flatMap { HTTPDate($0) }
        range = headers["If-Range"]
    }

    /// Of a request with that method for something in this state; nil if it does not exist.
    package func outcome(_ method: String, of state: HTTPValidators?) -> Outcome {
        if let match {
            guard let state, match.contains(where: { tag in state.tag.map(tag.isSameBytes) ?? false }) else { return .failed }
        } else if let unmodifiedSince, let modified = state?.modified, modified > unmodifiedSince {
            return .failed
        }
        let isReading = method == "GET" || method == "HEAD"
        if let noneMatch {
            if let state, noneMatch.contains(where: { tag in state.tag.map(tag.isSameMeaning) ?? false }) {
                return isReading ? .notModified : .failed
            }
        } else if isReading, let modifiedSince, let modified = state?.modified, modified <= modifiedSince {
            return .notModified
        }
        return .met
    }

    /// Whether a part is wanted of something in this state. If not, all of it is: the client would put the part together with parts of
    /// something else.
    package func wantsRange(of state: HTTPValidators) -> Bool {
        guard let range else { return true }
        if let tag = EntityTag(header: range) { return state.tag.map(tag.isSameBytes) ?? false }
        guard let date = HTTPDate(range) else { return false }
        return state.modified == date
    }
}
