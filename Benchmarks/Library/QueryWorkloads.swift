import CouchbaseLiteSwift

extension Workload {
    static let queries = [
        Workload(name: "5", title: "three columns of 100,000 rows", base: .large) { scene in
            try scene.withCollection { database, _ in
                var (balances, states, lengths) = (0, 0, 0)
                try scene.clock.measure {
                    for row in try database.createQuery("SELECT name.first, balance, contact.address.state FROM _").execute() {
                        lengths += row.string(at: 0)?.utf8.count ?? 0
                        balances += row.int(at: 1)
                        states += stateNumber(row.string(at: 2) ?? "")
                    }
                }
                return "\(balances) \(states) \(lengths)"
            }
        },
        Workload(name: "6a", title: "whole documents to JSON", base: .large) { scene in
            try scene.withCollection { database, _ in
                var bytes = 0
                try scene.clock.measure {
                    for row in try database.createQuery("SELECT * FROM _").execute() {
                        bytes += row.dictionary(at: 0)?.toJSON().utf8.count ?? 0
                    }
                }
                return "\(bytes)"
            }
        },
        Workload(name: "6b", title: "whole documents, each value read", base: .large) { scene in
            try scene.withCollection { database, _ in
                var tally = Tally()
                try scene.clock.measure {
                    for row in try database.createQuery("SELECT * FROM _").execute() {
                        tally.add(try row.data(as: StoredUser.self, dataKey: "_"))
                    }
                }
                return tally.text
            }
        },
        Workload(name: "7a", title: "compile 10,000 queries", base: .small) { scene in
            try scene.withCollection { database, _ in
                let texts = (0..<10_000).map {
                    "SELECT META().id, name.first, balance FROM _ WHERE contact.address.state = 'CA' AND balance > \($0) ORDER BY balance LIMIT 10"
                }
                var count = 0
                try scene.clock.measure {
                    for text in texts {
                        _ = try database.createQuery(text)
                        count += 1
                    }
                }
                return "\(count)"
            }
        },
        Workload(name: "7b", title: "run one query 10,000 times", base: .small) { scene in
            try scene.withCollection { database, _ in
                let query = try database.createQuery("SELECT name.first, balance FROM _ WHERE id = $id")
                var (balances, lengths) = (0, 0)
                try scene.clock.measure {
                    for number in 0..<10_000 {
                        query.parameters = Parameters().setInt(number * 7919 % 10_000, forName: "id")
                        guard let row = try query.execute().next() else { continue }
                        lengths += row.string(at: 0)?.utf8.count ?? 0
                        balances += row.int(at: 1)
                    }
                }
                return "\(balances) \(lengths)"
            }
        },
    ]

    private struct StoredUser: Decodable {
        struct Name: Decodable {
            let first: String
            let last: String
        }
        struct Address: Decodable {
            let zip: String
            let state: String
            let city: String
            let street: String
        }
        struct Contact: Decodable {
            let address: Address
            let email: [String]
            let region: String
            let phone: [String]
        }

        let gender: String
        let id: Int
        let contact: Contact
        let birthday: String
        let memberSince: String
        let likes: [String]
        let name: Name
        let score: Double
        let balance: Int
    }

    /// How many bytes the strings have, and the sum of the numbers.
    private struct Tally {
        var bytes = 0
        var numbers = 0.0

        mutating func add(_ user: StoredUser) {
            let contact = user.contact
            for text in [
                user.gender, user.birthday, user.memberSince, user.name.first, user.name.last, contact.region, contact.address.zip,
                contact.address.state, contact.address.city, contact.address.street,
            ] {
                bytes += text.utf8.count
            }
            for text in contact.email { bytes += text.utf8.count }
            for text in contact.phone { bytes += text.utf8.count }
            for text in user.likes { bytes += text.utf8.count }
            numbers += Double(user.id) + user.score + Double(user.balance)
        }

        var text: String { "\(bytes) \(Int(numbers.rounded()))" }
    }
}
