import CBLFleece

/// How far a replication has come: which local changes are done, and after which of the peer's to go on.
///
/// A copy is kept on both sides, with the same bytes. What a session starts from is what both agree on.
package struct Checkpoint: Hashable, Sendable {
    /// Sequence 0 is always done: there is none.
    package var completed = SequenceSet(0..<1)
    package var remote: RemoteSequence?

    package init() {}

    package init(completed: SequenceSet, remote: RemoteSequence? = nil) {
        self.completed = completed
        self.completed.insert(0)
        self.remote = remote
    }

    /// The highest sequence so that all up to it are done.
    package var local: UInt64 { (completed.ranges.first?.upperBound ?? 1) - 1 }
}

// {"time":1700000000,"local":100,"localCompleted":[0,101,103,15],"remote":2345}
extension Checkpoint {
    /// Reads a body. Whatever cannot be understood counts as absent, since starting from nothing is always right.
    package init(json: some Sequence<UInt8>) {
        self.init()
        Checkpoint.parse(json)?.withRoot { read($0) }
    }

    /// When a body was saved, in seconds since 1970. That is for people alone.
    static func time(json: some Sequence<UInt8>) -> Int64? {
        parse(json)?.withRoot { $0.dictionary?.value(forKey: "time", nil)?.integer }
    }

    private static func parse(_ json: some Sequence<UInt8>) -> FleeceData? {
        let encoder = FleeceEncoder()
        let isJSON = Array(json).withUnsafeBytes { text in (try? JSONParser.parse(text, into: encoder)) != nil }
        return isJSON ? try? encoder.finish() : nil
    }

    /// Reads a body that is part of a message, and may have the members of its envelope.
    init(_ value: Value) {
        self.init()
        read(value)
    }

    private mutating func read(_ value: Value) {
        guard let body = value.dictionary else { return }
        if let list = body.value(forKey: "localCompleted", nil)?.array {
            let numbers = list.map { $0.unsigned }
            for pair in stride(from: 0, to: numbers.count - 1, by: 2) {
                guard let start = numbers[pair], let length = numbers[pair + 1], let end = UInt64.sum(start, length) else { continue }
                completed.insert(start..<end)
            }
        } else if let local = body.value(forKey: "local", nil)?.unsigned, local < UInt64.max {
            completed.insert(0..<local + 1)
        }
        remote = body.value(forKey: "remote", nil).flatMap { RemoteSequence($0) }
    }

    /// The body as both sides store it. `time` is in seconds since 1970.
    package func body(time: Int64) -> [UInt8] {
        var json = ByteBuffer(capacity: 128)
        json.append("{\"time\":")
        json.append(decimal: time)
        if local > 0 {
            json.append(",\"local\":")
            json.append(decimal: local)
        }
        if completed.ranges.count > 1 {
            json.append(",\"localCompleted\":[")
            for (place, range) in completed.ranges.enumerated() {
                if place > 0 { json.append(",") }
                json.append(decimal: range.lowerBound)
                json.append(",")
                json.append(decimal: UInt64(range.count))
            }
            json.append("]")
        }
        if let remote {
            json.append(",\"remote\":")
            json.append(remote.json)
        }
        json.append("}")
        return json.withBytes { Array($0) }
    }
}

extension Checkpoint {
    /// What our copy and the peer's agree on. `isValid` is false if ours had to give way: then what is remembered of the peer's revisions
    /// cannot be believed either.
    ///
    /// The peer's copy is the first to be saved. If it has less than ours, the peer went back to an earlier state, and has revisions again which
    /// gave way to later ones here and there: they are not here, and it tells of them only to who asks for everything.
    package func validated(against peer: Checkpoint) -> (agreed: Checkpoint, isValid: Bool) {
        var agreed = self
        agreed.completed = completed.intersection(peer.completed)
        let isBehind = remote.map { $0 != peer.remote && peer.remote?.isBefore($0) ?? true } ?? false
        if isBehind || agreed.completed != completed { agreed.remote = nil }
        return (agreed, completed == peer.completed && !isBehind)
    }
}

extension UInt64 {
    /// The sum, unless it does not fit.
    static func sum(_ a: UInt64, _ b: UInt64) -> UInt64? {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? nil : sum
    }
}
