import CouchbaseLiteSwift

/// Numbers that are always the same.
struct SplitMix64 {
    private var state: UInt64 = 42

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func pick(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}

/// A person, made up: 377 bytes of JSON on the average.
struct User {
    let number: Int
    var gender = ""
    var first = ""
    var last = ""
    var birthday = ""
    var memberSince = ""
    var street = ""
    var city = ""
    var state = ""
    var zip = ""
    var region = ""
    var email: [String] = []
    var phone: [String] = []
    var likes: [String] = []
    var score = 0.0
    var balance = 0

    var id: String { User.id(number) }

    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "user_" + String(repeating: "0", count: 7 - digits.count) + digits
    }
}

/// Users, one after another.
struct UserSource {
    private var random = SplitMix64()
    private var number = 0

    private static let syllables = ["ba", "che", "di", "fo", "gu", "ha", "jo", "ki", "la", "mi", "no", "pe", "ra", "su", "te", "vo"]
    private static let states = """
        AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA \
        WA WV WI WY
        """.split(separator: " ").map(String.init)
    private static let likes = ["driving", "skiing", "reading", "travelling", "swimming", "chess", "running", "cooking"]

    private mutating func word(_ syllables: Int) -> String {
        var word = ""
        for _ in 0..<syllables { word += UserSource.syllables[random.pick(16)] }
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    private func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private mutating func date(from year: Int, years: Int) -> String {
        let year = year + random.pick(years)
        let month = 1 + random.pick(12)
        return "\(year)-\(padded(month, 2))-\(padded(1 + random.pick(28), 2))"
    }

    mutating func next() -> User {
        var user = User(number: number)
        number += 1
        user.gender = ["female", "male"][random.pick(2)]
        user.first = word(3)
        user.last = word(4)
        user.birthday = date(from: 1940, years: 60)
        user.memberSince = date(from: 2005, years: 15)
        let house = 1 + random.pick(99)
        let name = word(3)
        user.street = "\(house) \(name)" + [" St", " Ave", " Ln", " Dr"][random.pick(4)]
        user.city = word(4)
        user.state = UserSource.states[random.pick(50)]
        user.zip = String(10_000 + random.pick(90_000))
        user.region = String(200 + random.pick(800))
        let mailbox = "\(user.first).\(user.last)".lowercased()
        user.email = Array(["\(mailbox)@example.com", "\(mailbox)@example.org"].prefix(1 + random.pick(2)))
        for _ in 0..<1 + random.pick(2) { user.phone.append("\(user.region)-\(padded(random.pick(10_000_000), 7))") }
        for _ in 0..<random.pick(4) { user.likes.append(UserSource.likes[random.pick(8)]) }
        user.score = Double(random.pick(1_000_000)) / 1000
        user.balance = random.pick(105_001) - 5000
        return user
    }

    static func list(_ count: Int) -> [User] {
        var source = UserSource()
        return (0..<count).map { _ in source.next() }
    }
}

extension User {
    /// As an app fills a document.
    func document() -> MutableDocument {
        let address = MutableDictionaryObject()
        address.setString(zip, forKey: "zip").setString(state, forKey: "state").setString(city, forKey: "city").setString(
            street, forKey: "street")
        let contact = MutableDictionaryObject()
        contact.setDictionary(address, forKey: "address").setArray(User.array(email), forKey: "email").setString(region, forKey: "region")
            .setArray(User.array(phone), forKey: "phone")
        let name = MutableDictionaryObject().setString(first, forKey: "first").setString(last, forKey: "last")
        return MutableDocument(id: id).setString(gender, forKey: "gender").setInt(number, forKey: "id").setDictionary(
            contact, forKey: "contact"
        )
        .setString(birthday, forKey: "birthday").setString(memberSince, forKey: "memberSince").setArray(User.array(likes), forKey: "likes")
        .setDictionary(name, forKey: "name").setDouble(score, forKey: "score").setInt(balance, forKey: "balance")
    }

    private static func array(_ strings: [String]) -> MutableArrayObject {
        let array = MutableArrayObject()
        for string in strings { array.addString(string) }
        return array
    }

    var json: String {
        func list(_ strings: [String]) -> String { "[" + strings.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        return """
            {"gender":"\(gender)","id":\(number),"contact":{"address":{"zip":"\(zip)","state":"\(state)","city":"\(city)","street":"\(street)"},\
            "email":\(list(email)),"region":"\(region)","phone":\(list(phone))},"birthday":"\(birthday)","memberSince":"\(memberSince)",\
            "likes":\(list(likes)),"name":{"first":"\(first)","last":"\(last)"},"score":\(score),"balance":\(balance)}
            """
    }
}
