/// Collects the body of an answer, as much of it as is wanted for a message to a person.
struct HTTPBodyExcerpt {
    static let maximumLength = 8192

    private(set) var bytes: [UInt8] = []
    /// Nil where the answer says nothing that can be read.
    private var reader: HTTPBodyReader?

    /// Of an answer with this head, to a GET.
    init(_ head: HTTPResponseHead) { reader = try? HTTPBodyReader(head.bodyForm(answering: "GET")) }

    /// Takes what is there; true if no more is coming, or wanted.
    mutating func read(_ queue: inout ByteQueue) -> Bool {
        while bytes.count < HTTPBodyExcerpt.maximumLength {
            guard let count = try? reader?.available(in: &queue) else { return true }
            if count == 0 { return false }
            bytes += queue.bytes[..<min(count, HTTPBodyExcerpt.maximumLength - bytes.count)]
            reader?.consume(count, of: &queue)
        }
        return true
    }
}
