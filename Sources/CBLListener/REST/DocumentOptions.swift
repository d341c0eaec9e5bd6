import CBLFleece
import CBLStore

/// What a client wants to know of documents beside what they say.
struct DocumentOptions {
    var showsHistory = false
    /// No more than so many revisions of it.
    var longestHistory = Int.max
    var showsRevisionStates = false
    var showsConflicts = false
    var showsSequence = false
    var showsExpiration = false
    /// Contents in the place of stubs.
    var includesAttachments = false
    /// Whether what is stored in gzip goes out so.
    var keepsEncoding = false
    /// The revisions that the client has: attachments that came with these need no content.
    var knownRevisions: [String] = []

    init() {}

    init(_ parameters: RESTParameters) throws(RESTError) {
        showsHistory = parameters.flag("revs")
        if let limit = parameters.integer("revs_limit"), limit > 0 { longestHistory = limit }
        showsRevisionStates = parameters.flag("revs_info")
        showsConflicts = parameters.flag("conflicts")
        showsSequence = parameters.flag("local_seq")
        showsExpiration = parameters.flag("show_exp")
        includesAttachments = parameters.flag("attachments")
        keepsEncoding = parameters.flag("att_encoding_info")
        knownRevisions = try parameters.strings("atts_since") ?? []
    }

    /// Whether a document's own row tells all of it.
    var needsRelatives: Bool { showsHistory || showsRevisionStates || showsConflicts || !knownRevisions.isEmpty }
}
