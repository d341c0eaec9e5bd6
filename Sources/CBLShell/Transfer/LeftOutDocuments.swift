/// Tells of documents that an import leaves out: of each one, or of the first few.
final class LeftOutDocuments {
    private let session: Session
    private let isCareful: Bool
    private let isVerbose: Bool
    private var count = 0
    private static let most = 10

    /// `isCareful` stops at the first one.
    init(_ session: Session, isCareful: Bool, isVerbose: Bool) {
        self.session = session
        self.isCareful = isCareful
        self.isVerbose = isVerbose
    }

    func tell(_ message: String) throws(CommandError) {
        if isCareful { throw .failed(message, hint: "Nothing was imported.") }
        count += 1
        if isVerbose || count <= LeftOutDocuments.most {
            session.warn(message)
        } else if count == LeftOutDocuments.most + 1 {
            session.warn("… and so on; --verbose shows every one")
        }
    }
}
