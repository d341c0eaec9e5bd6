import DocumentStore

extension Session {
    /// Has a scan tell of damaged documents on standard error, and go on with the others. The command then ends with exit code 1.
    func reportDamage(met cursor: DocumentCursor) {
        cursor.onDamage = { [self] document in
            damagedCount += 1
            report(.failed(document.description, hint: damagedCount == 1 ? "\"cblite check\" tells more." : nil))
        }
    }
}
