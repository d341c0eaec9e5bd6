import CBLLanguage
import CBLStore
import CBLWorkbench

extension DatabaseFacts.Warning {
    /// For programs.
    var code: String {
        switch self {
        case .damagedFile, .damagedCollection: "damaged"
        case .unreadCollection: "unread"
        case .conflicts: "conflicts"
        case .missingBlobs: "missingBlobs"
        case .expired: "expired"
        case .unfinishedUpgrade: "unfinishedUpgrade"
        case .log: "log"
        case .leftover: "leftover"
        }
    }

    var text: String {
        switch self {
        case .damagedFile(let damage): "The file is damaged: \(damage). \"cblite check\" tells more."
        case .damagedCollection(let name, let damage): "Collection \"\(name)\" is damaged: \(damage). \"cblite check\" tells more."
        case .unreadCollection(let name, let reason): "Collection \"\(name)\" cannot be read: \(reason)."
        case .conflicts(let number):
            "\(count(number, "document is", "documents are")) in conflict: \"cblite conflicts\" lists them."
        case .missingBlobs(let number): "\(count(number, "blob is", "blobs are")) missing that documents refer to."
        case .expired(let time):
            "Documents have expired since \(TimeText.iso8601(time)) and are still there: the app removes them when it runs."
        case .unfinishedUpgrade:
            "An upgrade has not finished: deleted documents are still to be moved, which the app does when it runs."
        case .log(let size):
            "The newest changes are in the log, db.sqlite3-wal, of \(SizeText.text(size)): it must go along when files are copied."
        case .leftover(let name): "\(name) was left behind by work that did not finish."
        }
    }

    private func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(ProgressLine.grouped(number)) \(number == 1 ? one : many)"
    }
}
