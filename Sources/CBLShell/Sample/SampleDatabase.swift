import CBLFleece
import CBLStore

/// The database that `make run`, `cblite tour`, the examples of the documentation and their tests work on. It has something of everything:
/// three collections, notes with several revisions, a conflict, tombstones, an expiration, a blob, missing properties, and enough bookings
/// for a query to be worth an index.
///
/// Everything in it is always the same, but for the identifiers of the database and the times of the expiration.
enum SampleDatabase {
    /// The name that the documentation calls it by.
    static let name = "travel.cblite2"

    static let airlines = CollectionName.sample("inventory", "airline")
    static let hotels = CollectionName.sample("inventory", "hotel")
    static let bookings = CollectionName.sample("_default", "booking")

    /// Makes it at a path where nothing is yet. It appears when it is complete.
    static func make(at path: String) throws {
        try Database.appearing(at: path) { unfinished in
            let database = try Database(path: unfinished, options: .create)
            defer { database.close() }
            try fill(database)
        }
    }

    private static func fill(_ database: Database) throws {
        let attachment = try SampleDocuments.boardingPass.utf8.withContiguousStorageIfAvailable {
            try database.blobs.write(UnsafeRawBufferPointer($0))
        }
        try database.write { transaction in
            for (collection, documents) in [(airlines, SampleDocuments.airlines), (hotels, SampleDocuments.hotels)] {
                _ = try transaction.createCollection(collection)
                for document in documents {
                    try transaction.save(document.id, in: collection, body: transaction.encode(json: document.json))
                }
            }
            _ = try transaction.createCollection(bookings)
            for number in 1...SampleBookings.count {
                let booking = SampleBookings.booking(number)
                try transaction.save(booking.id, in: bookings, body: transaction.encode(json: booking.json))
            }
        }
        try database.write { try addNotes(to: $0, attachment) }
    }

    /// The notes of the default collection: what can happen to documents has happened to them.
    private static func addNotes(to transaction: Transaction, _ attachment: BlobFolder.Stored?) throws {
        func save(_ id: String, _ json: String) throws -> RevisionID {
            try transaction.save(id, body: transaction.encode(json: json)).id
        }
        let server = try transaction.remoteID(of: "wss://sync.example.com/travel")

        let blob = attachment.map {
            #","boarding_pass":{"@type":"blob","content_type":"text/plain","digest":"\#($0.digest)","length":\#($0.length)}"#
        }
        _ = try save("welcome", #"{"title":"Welcome","text":"Everything here was made by cblite itself."\#(blob ?? "")}"#)
        for items in [#"["passport"]"#, #"["passport","charger"]"#, #"["passport","charger","rain coat"],"done":false"#] {
            _ = try save("packing-list", #"{"title":"Packing list","items":\#(items)}"#)
        }

        // Both sides knew the first revision, and then each changed it.
        let common = try save("trip-sapporo", #"{"title":"Snow in Sapporo","hotel":"hotel_006","nights":3}"#)
        try transaction.markPushed(common, of: "trip-sapporo", to: server)
        _ = try save("trip-sapporo", #"{"title":"Snow in Sapporo","hotel":"hotel_006","nights":5}"#)
        let theirs = try RevisionID(parsing: "2-9d1e7a54c0b86f3215ad48e07c2b96f1e3580a7d")
        try transaction.insertExisting(
            "trip-sapporo", history: [theirs, common],
            body: transaction.encode(json: #"{"title":"Snow in Sapporo","hotel":"hotel_006","nights":3,"with":"Mika"}"#), remote: server)

        // What a server has seen is kept when it is deleted; of what nobody else has seen only a tombstone is left.
        let known = try save("weekend-in-porto", #"{"title":"Weekend in Porto","hotel":"hotel_002","nights":2}"#)
        try transaction.markPushed(known, of: "weekend-in-porto", to: server)
        try transaction.delete("weekend-in-porto")
        _ = try save("cancelled-trip", #"{"title":"Bergen in February","nights":4}"#)
        try transaction.delete("cancelled-trip")

        _ = try save("flash-sale", #"{"title":"Two nights for one","hotel":"hotel_003"}"#)
        _ = try transaction.setExpiration("flash-sale", Transaction.now + 30 * 86_400_000)
    }
}

extension CollectionName {
    /// A name that is written in the source, and valid.
    fileprivate static func sample(_ scope: String, _ name: String) -> CollectionName {
        // Only a slip in this file could make it invalid, and every test of the sample would show it.
        (try? CollectionName(parsing: "\(scope).\(name)")) ?? .default
    }
}
