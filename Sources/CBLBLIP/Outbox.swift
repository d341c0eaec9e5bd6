import CBLBase

/// The messages that have something to send. One frame of a message is sent, and it goes to the end of its line again.
///
/// There are two lines, and while both have somebody waiting they take turns: an urgent message waits for one frame at most, however many
/// ordinary ones are queued, and no number of urgent ones can stop the others.
struct Outbox {
    private var urgent = Queue<Transmission>()
    private var ordinary = Queue<Transmission>()
    private var urgentWasLast = false

    var isEmpty: Bool { urgent.isEmpty && ordinary.isEmpty }
    var count: Int { urgent.count + ordinary.count }
    var hasUrgent: Bool { !urgent.isEmpty }

    mutating func append(_ message: Transmission) {
        if message.isUrgent { urgent.append(message) } else { ordinary.append(message) }
    }

    mutating func next() -> Transmission? {
        urgentWasLast = !urgent.isEmpty && (ordinary.isEmpty || !urgentWasLast)
        return urgentWasLast ? urgent.popFirst() : ordinary.popFirst()
    }
}
