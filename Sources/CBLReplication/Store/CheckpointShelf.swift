import CBLStore
import Synchronization

/// Counts the checkpoints that those who connect leave in a database, so that they fill neither the disk nor each other's room: also who may
/// only read leaves some, under whatever names.
///
/// When somebody has too many, those go that they have not written for the longest time; whoever misses one starts from the beginning. Honest
/// clients have one for each collection and filter. Who left what is known as long as the server runs: what was there before is nobody's, and
/// counts only in the whole.
final class CheckpointShelf: Sendable {
    struct Limits: Sendable {
        /// Of one visitor. A thousand collections are what a connection may have.
        var ofEach = Room(count: 2000, bytes: 8 << 20)
        var ofAll = Room(count: 20_000, bytes: 64 << 20)
    }

    struct Room: Hashable, Sendable {
        var count = 0
        var bytes = 0

        func holds(_ other: Room) -> Bool { other.count <= count && other.bytes <= bytes }
        /// So much that not each one that follows has to have room made for it.
        var nearlyFull: Room { Room(count: count - count / 8, bytes: bytes - bytes / 8) }

        static func += (a: inout Room, b: Room) { a = Room(count: a.count + b.count, bytes: a.bytes + b.bytes) }
        static func -= (a: inout Room, b: Room) { a = Room(count: a.count - b.count, bytes: a.bytes - b.bytes) }
    }

    private let limits: Limits
    private let ledger = Mutex<CheckpointLedger?>(nil)

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Saves what a visitor leaves, and removes what is too much then. Gives the new revision.
    func save(_ id: String, revision: String, _ body: [UInt8], by owner: String, in database: Database) throws -> String {
        try ledger.withLock { ledger in
            var known = try ledger ?? CheckpointLedger(database, most: limits.ofAll.count)
            ledger = nil
            defer { ledger = known }
            let bytes = body.count + id.utf8.count
            let surplus = known.surplus(id, bytes, by: owner, limits)
            let saved = try database.write { transaction in
                let saved = try transaction.setPeerCheckpoint(id, revision: revision, body)
                for id in surplus { try transaction.deletePeerCheckpoint(id) }
                return saved
            }
            for id in surplus { known.remove(id) }
            known.put(id, bytes, by: owner)
            return saved
        }
    }
}

/// Which checkpoints there are, whose they are, and when they were written.
private struct CheckpointLedger {
    typealias Room = CheckpointShelf.Room

    private struct Entry {
        let owner: String?
        let bytes: Int
        /// The later it was written, the higher.
        let time: Int

        var room: Room { Room(count: 1, bytes: bytes) }
    }

    private var entries: [String: Entry] = [:]
    private var rooms: [String: Room] = [:]
    private var total = Room()
    private var time = 0

    /// What is there already. It is nobody's.
    init(_ database: Database, most: Int) throws {
        for found in try database.read({ try $0.peerCheckpointSizes(most: most) }) {
            put(found.id, found.bytes + found.id.utf8.count, by: nil)
        }
    }

    mutating func put(_ id: String, _ bytes: Int, by owner: String?) {
        remove(id)
        time += 1
        let entry = Entry(owner: owner, bytes: bytes, time: time)
        entries[id] = entry
        total += entry.room
        if let owner { rooms[owner, default: Room()] += entry.room }
    }

    mutating func remove(_ id: String) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        total -= entry.room
        guard let owner = entry.owner, var room = rooms[owner] else { return }
        room -= entry.room
        rooms[owner] = room.count > 0 ? room : nil
    }

    /// Which have to go, the oldest first, when this one comes.
    func surplus(_ id: String, _ bytes: Int, by owner: String, _ limits: CheckpointShelf.Limits) -> [String] {
        let new = Room(count: 1, bytes: bytes)
        var (own, all) = (rooms[owner] ?? Room(), total)
        own += new
        all += new
        if let former = entries[id] {
            all -= former.room
            if former.owner == owner { own -= former.room }
        }
        guard !limits.ofEach.holds(own) || !limits.ofAll.holds(all) else { return [] }
        var names: [String] = []
        let isCrowded = (own: !limits.ofEach.holds(own), all: !limits.ofAll.holds(all))
        for (name, entry) in entries.sorted(by: { $0.value.time < $1.value.time }) where name != id {
            let isOwn = entry.owner == owner
            let goes =
                isCrowded.own && isOwn && !limits.ofEach.nearlyFull.holds(own) || isCrowded.all && !limits.ofAll.nearlyFull.holds(all)
            guard goes else { continue }
            names.append(name)
            all -= entry.room
            if isOwn { own -= entry.room }
        }
        return names
    }
}
