import CBLBase
import CBLStore
import Glibc

/// A walk through the program on a copy of the sample database, which lasts as long as the tour does.
final class Tour {
    private(set) var position = 0
    /// Whether the person has seen what the step is about.
    var isAnnounced = false
    let database: Database
    /// Nothing was open before.
    let isAlone: Bool
    private let folder: String

    /// Makes the sample in a folder of its own, or copies a database that is one.
    init(copyOf path: String?, isAlone: Bool) throws {
        let parent = Terminal.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/cblite-tour-XXXXXX".utf8CString)
        guard let made = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else {
            throw CommandError.system(parent, errno: errno)
        }
        folder = String(cString: made)
        self.isAlone = isAlone
        let copy = folder + "/" + SampleDatabase.name
        do {
            if let path {
                let original = try Database(path: path)
                defer { original.close() }
                guard try original.read({ $0.hasCollection(SampleDatabase.bookings) && $0.hasCollection(SampleDatabase.hotels) }) else {
                    throw CommandError.failed(
                        "\(path): the tour is about the sample database, and this is another", hint: "'cblite tour' alone makes one.")
                }
                try original.copy(to: copy) { _, _ in try Interruption.check() }
            } else {
                try SampleDatabase.make(at: copy)
            }
            database = try Database(path: copy, options: .readWrite)
        } catch {
            FolderTree.remove(folder)
            throw error
        }
    }

    deinit {
        database.close()
        FolderTree.remove(folder)
    }

    var step: TourStep? { position < TourStep.all.count ? TourStep.all[position] : nil }

    func advance() {
        position += 1
        isAnnounced = false
    }
}
