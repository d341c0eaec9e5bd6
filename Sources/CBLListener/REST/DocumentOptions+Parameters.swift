import CBLReplication

extension DocumentOptions {
    init(_ parameters: RESTParameters) throws(RESTError) {
        self.init()
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
}
