import CouchbaseLiteSwift

extension Workload {
    static let documents = [
        Workload(name: "1a", title: "save 100,000 in one transaction", base: .none) { try save($0, { $0 }, { $0.document() }) },
        Workload(name: "1b", title: "the same from JSON", base: .none) {
            try save($0, { (id: $0.id, json: $0.json) }, { try MutableDocument(id: $0.id, json: $0.json) })
        },
        Workload(name: "2a", title: "save 10,000, each its own transaction", base: .none) { try saveEach($0, 10_000) },
        Workload(name: "2b", title: "1,000 of these with full sync", base: .none) { try saveEach($0, 1000, fullSync: true) },
        Workload(name: "3a", title: "read 100,000 by ID, scattered", base: .large) { try read($0) { $0 * 7919 % 100_000 } },
        Workload(name: "3b", title: "the same in order", base: .large) { try read($0) { $0 } },
        Workload(name: "4", title: "change 100,000 in one transaction", base: .large) { try change($0) },
        Workload(name: "11a", title: "delete 100,000 in one transaction", base: .large) { try delete($0) },
        Workload(name: "11b", title: "purge 100,000 in one transaction", base: .large) { try purge($0) },
    ]

    /// `source` is what is made while the clock stands still.
    private static func save<Source>(
        _ scene: Scene, _ source: (User) -> Source, _ document: (Source) throws -> MutableDocument
    ) throws -> String {
        try scene.withCollection { database, collection in
            var users = UserSource()
            scene.clock.start()
            try database.inBatch {
                for _ in 0..<100 {
                    scene.clock.stop()
                    let batch = (0..<1000).map { _ in source(users.next()) }
                    scene.clock.start()
                    for source in batch { try collection.save(document: document(source)) }
                }
            }
            scene.clock.stop()
            return "\(collection.count)"
        }
    }

    private static func saveEach(_ scene: Scene, _ count: Int, fullSync: Bool = false) throws -> String {
        let users = UserSource.list(count)
        return try scene.withCollection(fullSync: fullSync) { _, collection in
            try scene.clock.measure { for user in users { try collection.save(document: user.document()) } }
            return "\(collection.count)"
        }
    }

    private static func read(_ scene: Scene, _ number: (Int) -> Int) throws -> String {
        let ids = (0..<100_000).map { User.id(number($0)) }
        return try scene.withCollection { _, collection in
            var (balances, scores, states) = (0, 0.0, 0)
            try scene.clock.measure {
                for id in ids {
                    guard let document = try collection.document(id: id) else { continue }
                    balances += document.int(forKey: "balance")
                    scores += document.double(forKey: "score")
                    let state = document.dictionary(forKey: "contact")?.dictionary(forKey: "address")?.string(forKey: "state") ?? ""
                    states += stateNumber(state)
                }
            }
            return "\(balances) \(states) \(Int(scores.rounded()))"
        }
    }

    static func stateNumber(_ state: String) -> Int {
        var bytes = state.utf8.makeIterator()
        return Int(bytes.next() ?? 0) * 256 + Int(bytes.next() ?? 0)
    }

    private static func change(_ scene: Scene) throws -> String {
        let ids = (0..<100_000).map(User.id)
        return try scene.withCollection { database, collection in
            try scene.clock.measure {
                try database.inBatch {
                    for id in ids {
                        guard let document = try collection.document(id: id)?.toMutable() else { continue }
                        document.setInt(document.int(forKey: "balance") + 1, forKey: "balance")
                        try collection.save(document: document)
                    }
                }
            }
            var sum = 0
            for id in ids { sum += try collection.document(id: id)?.int(forKey: "balance") ?? 0 }
            return "\(sum)"
        }
    }

    private static func delete(_ scene: Scene) throws -> String {
        let ids = (0..<100_000).map(User.id)
        return try scene.withCollection { database, collection in
            try scene.clock.measure {
                try database.inBatch {
                    for id in ids { if let document = try collection.document(id: id) { try collection.delete(document: document) } }
                }
            }
            return "\(collection.count)"
        }
    }

    private static func purge(_ scene: Scene) throws -> String {
        let ids = (0..<100_000).map(User.id)
        return try scene.withCollection { database, collection in
            try scene.clock.measure { try database.inBatch { for id in ids { try collection.purge(id: id) } } }
            return "\(collection.count)"
        }
    }
}
