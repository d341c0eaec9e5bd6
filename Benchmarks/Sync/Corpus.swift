import CBLFleece
import CBLStore
import FoundationEssentials

/// The databases that are replicated: always the same documents, such as people have.
enum Corpus {
    private static let states = ["AZ", "CA", "IN", "NY", "OH", "PA", "TX", "WA"]
    private static let hobbies = ["chatting", "chess", "climbing", "reading", "skiing", "swimming"]

    static func json(_ number: Int) -> String {
        var random = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        func next(_ bound: UInt64) -> UInt64 {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return random % bound
        }
        func pick(_ list: [String]) -> String { list[Int(next(UInt64(list.count)))] }
        return """
            {"type":"user","id":\(number),"name":{"first":"Lang\(next(9999))","last":"Taper\(next(9999))"},"gender":"female",\
            "birthday":"19\(10 + next(89))-12-11","memberSince":"2012-02-\(10 + next(19))","likes":["\(pick(hobbies))","\(pick(hobbies))"],\
            "contact":{"address":{"zip":"\(10000 + next(89999))","state":"\(pick(states))","city":"Harrisburg","street":"\(next(999)) 5th St"},\
            "email":["lang\(number)@example.org"],"phone":["317-\(1_000_000 + next(8_999_999))"]},"balance":\(next(100_000))}
            """
    }

    /// A new database at a path where there may be an old one.
    static func empty(_ path: String) throws -> Database {
        try? FileManager.default.removeItem(atPath: path)
        return try Database(path: path, options: .create)
    }

    static func documents(_ count: Int, in path: String) throws -> Database {
        let database = try empty(path)
        try database.write { transaction in
            try transaction.bulk { bulk in
                for number in 0..<count {
                    transaction.encoder.reset()
                    try JSONParser.parse(json(number), into: transaction.encoder)
                    var id = "user_\(number)"
                    try id.withUTF8 { try bulk.save(id: UnsafeRawBufferPointer($0)) }
                }
            }
        }
        return database
    }

    /// Each document has a blob that no other has, of bytes that cannot be compressed.
    static func blobs(_ count: Int, bytes: Int, in path: String) throws -> Database {
        let database = try empty(path)
        var content = [UInt64](repeating: 0, count: (bytes + 7) / 8)
        var random: UInt64 = 0x2545_F491_4F6C_DD1D
        for number in 0..<count {
            for index in content.indices {
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                content[index] = random
            }
            let stored = try content.withUnsafeBytes { try database.blobs.write(UnsafeRawBufferPointer(rebasing: $0[..<bytes])) }
            let blob = "{\"@type\":\"blob\",\"digest\":\"\(stored.digest)\",\"length\":\(bytes),\"content_type\":\"image/jpeg\"}"
            try database.write { transaction in
                _ = try transaction.save("photo_\(number)", body: try transaction.encode(json: "{\"type\":\"photo\",\"content\":\(blob)}"))
            }
        }
        return database
    }
}
