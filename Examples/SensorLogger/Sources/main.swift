import CouchbaseLiteSwift

// Reads a sensor again and again, keeps what it said for a day, and prints the last minute's average. The sensor is the machine's load.
//
//     sensor-logger [SECONDS between readings, 1 by default] [READINGS, endless by default]

struct Summary: Decodable {
    let count: Int
    let average: Double?
    let highest: Double?
}

func load() -> Double {
    var loads = [0.0]
    return getloadavg(&loads, 1) == 1 ? loads[0] : 0
}

do {
    let arguments = CommandLine.arguments.dropFirst().map { Double($0) }
    guard arguments.count <= 2, arguments.allSatisfy({ $0.map { $0 > 0 } ?? false }) else {
        FileHandle.standardError.write(Data("usage: sensor-logger [SECONDS [READINGS]]\n".utf8))
        exit(64)
    }
    let interval = arguments.first.flatMap { $0 } ?? 1
    let readings = arguments.count > 1 ? arguments[1].map { Int($0) } ?? .max : .max

    var configuration = DatabaseConfiguration()
    configuration.directory = ProcessInfo.processInfo.environment["SENSOR_HOME"] ?? configuration.directory
    let database = try Database(name: "sensors", config: configuration)
    let values = try database.createCollection(name: "values")
    try values.createIndex(withName: "byTime", config: ValueIndexConfiguration(["time"]))
    let query = try database.createQuery(
        "SELECT count(*) AS count, avg(load) AS average, max(load) AS highest FROM `values` WHERE time >= $since")

    for number in 0..<readings {
        if number > 0 { Thread.sleep(forTimeInterval: interval) }
        let now = Date()
        try database.inBatch {
            let document = MutableDocument().setDate(now, forKey: "time").setDouble(load(), forKey: "load")
            try values.save(document: document)
            // Old readings go by themselves.
            try values.setDocumentExpiration(id: document.id, expiration: now.addingTimeInterval(86_400))
        }
        query.parameters = Parameters().setDate(now.addingTimeInterval(-60), forName: "since")
        if let summary = try query.execute().data(as: Summary.self).first, let average = summary.average, let highest = summary.highest {
            print(String(format: "%d readings in the last minute: %.2f on the average, %.2f at the most", summary.count, average, highest))
        }
    }
    try database.close()
} catch {
    FileHandle.standardError.write(Data((error.localizedDescription + "\n").utf8))
    exit(1)
}
