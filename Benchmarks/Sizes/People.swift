import CBLBenchProcesses
import Glibc

/// Users of an imaginary service, always the same for the same number, in any amount: 25 GB are written in less time than they are imported.
struct People {
    private static let firstNames = [
        "Ada", "Grace", "Alan", "Barbara", "Edsger", "Frances", "John", "Katherine", "Niklaus", "Radia", "Søren", "美咲",
    ]
    private static let lastNames = [
        "Lovelace", "Hopper", "Turing", "Liskov", "Dijkstra", "Allen", "Backus", "Johnson", "Wirth", "Perlman", "Ångström",
    ]
    private static let streets = [
        "Mill Lane", "5th Avenue", "Harvard Street", "Market Square", "Long Acre", "Station Road", "Rue de Rivoli",
    ]
    private static let cities = ["Springfield", "Fairview", "Clinton", "Georgetown", "Madison", "Franklin", "Arlington", "Salem", "Dover"]
    private static let states = [
        "CA", "NY", "TX", "WA", "OR", "NV", "MA", "FL", "IL", "GA", "OH", "PA", "MI", "NC", "VA", "AZ", "TN", "MO",
    ]
    private static let likes = ["chess", "reading", "skiing", "cooking", "climbing", "travelling", "music", "swimming", "gardening"]

    private var state: UInt64
    fileprivate(set) var json = ""

    init(seed: UInt64 = 42) { state = seed }

    private mutating func below(_ bound: Int) -> Int {
        // Steps of a linear generator, of which the upper bits are good enough here.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    private mutating func one(of words: [String]) -> String { words[below(words.count)] }

    /// The ID of the n-th.
    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "user_" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    /// Makes the next one: an object of about 500 bytes, with its ID in front unless it is to be the body of a document.
    mutating func next(_ number: Int, isBody: Bool = false) {
        let (first, last) = (one(of: People.firstNames), one(of: People.lastNames))
        json.removeAll(keepingCapacity: true)
        json += "{"
        if !isBody {
            json += "\"_id\":\""
            json += People.id(number)
            json += "\","
        }
        json += "\"id\":\(number),\"name\":{\"first\":\""
        json += first
        json += "\",\"last\":\""
        json += last
        json += "\"},\"gender\":\""
        json += below(2) == 0 ? "female" : "male"
        json +=
            "\",\"birthday\":\"19\(10 + below(90))-0\(1 + below(9))-1\(below(10))\",\"contact\":{\"address\":{\"street\":\"\(1 + below(9999)) "
        json += one(of: People.streets)
        json += "\",\"zip\":\"\(10_000 + below(90_000))\",\"city\":\""
        json += one(of: People.cities)
        json += "\",\"state\":\""
        json += one(of: People.states)
        json += "\"},\"email\":[\""
        json += first
        json +=
            ".\(below(100_000))@example.com\"],\"region\":\"\(100 + below(900))\",\"phone\":[\"\(100 + below(900))-555-\(1000 + below(9000))\",\""
        json += "\(100 + below(900))-555-\(1000 + below(9000))\"]},\"likes\":[\""
        json += one(of: People.likes)
        json += "\",\""
        json += one(of: People.likes)
        json +=
            "\"],\"memberSince\":\"20\(10 + below(15))-1\(below(3))-2\(below(9))\",\"score\":\(below(1_000_000)).\(1 + below(9)),\"balance\":"
        json += "\(below(105_000) - 5000),\"about\":\""
        for _ in 0..<(4 + below(5)) {
            json += one(of: People.lastNames)
            json += " likes "
            json += one(of: People.likes)
            json += ". "
        }
        json += "\"}"
    }

    /// Writes so many as JSON Lines.
    static func write(_ count: Int, to path: String) throws {
        try writeLines(count, to: path) { number, people in people.next(number) }
    }

    /// Writes documents that each consist of so many bytes of people.
    static func writeGatherings(_ count: Int, of size: Int, to path: String) throws {
        try writeLines(count, to: path) { number, people in
            var document = "{\"_id\":\"\(id(number))\",\"number\":\(number),\"people\":["
            var person = 0
            while document.utf8.count < size {
                if person > 0 { document += "," }
                people.next(person, isBody: true)
                document += people.json
                person += 1
            }
            people.json = document + "]}"
        }
    }

    /// `next` puts the next line into `json`.
    private static func writeLines(_ count: Int, to path: String, _ next: (Int, inout People) -> Void) throws {
        guard let file = fopen(path, "w") else { throw Failure.cannotWrite(path) }
        var people = People()
        for number in 0..<count {
            next(number, &people)
            people.json += "\n"
            people.json.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        }
        let isWritten = ferror(file) == 0
        guard fclose(file) == 0, isWritten else { throw Failure.cannotWrite(path) }
    }
}
