import CouchbaseLiteSwift

extension Workload {
    static let blobs = [
        Workload(name: "9a", title: "save 10,000 blobs of 10,000 bytes", base: .none) { try saveBlobs($0, isMeasured: true) },
        Workload(name: "9b", title: "read them", base: .none) { scene in
            let written = try saveBlobs(scene, isMeasured: false)
            let ids = (0..<10_000).map(blobID)
            return try scene.withCollection { _, collection in
                var (bytes, sum) = (0, UInt64(0))
                try scene.clock.measure {
                    for id in ids {
                        guard let data = try collection.document(id: id)?.blob(forKey: "data")?.content else { continue }
                        bytes += data.count
                        sum &+= data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
                    }
                }
                return "\(bytes) \("\(sum)" == written ? "same" : "different")"
            }
        },
    ]

    private static func blobID(_ number: Int) -> String { "blob_" + User.id(number).dropFirst(5) }

    private static func saveBlobs(_ scene: Scene, isMeasured: Bool) throws -> String {
        try scene.withCollection { database, collection in
            var random = SplitMix64()
            var sum: UInt64 = 0
            func pause() { if isMeasured { scene.clock.stop() } }
            func go() { if isMeasured { scene.clock.start() } }
            go()
            try database.inBatch {
                for part in 0..<100 {
                    pause()
                    let contents = (0..<100).map { _ in
                        (0..<1250).reduce(into: Data(capacity: 10_000)) { data, place in
                            let number = random.next()
                            if place == 0 { sum &+= number }
                            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
                        }
                    }
                    go()
                    for (place, content) in contents.enumerated() {
                        let document = MutableDocument(id: blobID(part * 100 + place))
                        document.setBlob(Blob(contentType: "application/octet-stream", data: content), forKey: "data")
                        try collection.save(document: document)
                    }
                }
            }
            pause()
            return "\(sum)"
        }
    }

    static let lifecycle = [
        Workload(name: "12", title: "open and close 1,000 times", base: .small) { scene in
            var count: UInt64 = 0
            try scene.clock.measure {
                for _ in 0..<1000 { try scene.withCollection { count += $1.count } }
            }
            return "\(count)"
        },
        Workload(name: "13a", title: "set 10,000 expirations", base: .small) { scene in
            try scene.withCollection { database, collection in
                let ids = (0..<10_000).map(User.id)
                let tomorrow = Date(timeIntervalSinceNow: 86_400)
                try scene.clock.measure {
                    try database.inBatch { for id in ids { try collection.setDocumentExpiration(id: id, expiration: tomorrow) } }
                }
                return "\(try ids.filter { try collection.getDocumentExpiration(id: $0) != nil }.count)"
            }
        },
        Workload(name: "13c", title: "10,000 expire by themselves", base: .small) { scene in
            try scene.withCollection { database, collection in
                let moment = Date(timeIntervalSinceNow: 3)
                try database.inBatch {
                    for number in 0..<10_000 { try collection.setDocumentExpiration(id: User.id(number), expiration: moment) }
                }
                usleep(UInt32(max(0, moment.timeIntervalSinceNow) * 1_000_000))
                scene.clock.measure { while collection.count > 0 { usleep(1000) } }
                return "\(collection.count)"
            }
        },
    ]
}
