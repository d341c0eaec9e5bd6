import CBLStore
import CBLWorkbench

extension Session {
    /// Has a scan tell of damaged documents on standard error, and go on with the others. The command then ends with exit code 1.
    func reportDamage(met cursor: DocumentCursor) {
        cursor.onDamage = { [self] in report(damaged: $0) }
    }

    func report(damaged document: DamagedDocument) {
        damagedCount += 1
        report(.failed(document.description, hint: damagedCount == 1 ? "\"cblite check\" tells more." : nil))
    }

    /// The same for a document whose body turned out, when it was to be written, to have no end.
    func report(endless id: String, in collection: CollectionName) {
        report(damaged: DamagedDocument(endless: id, in: collection))
    }
}
