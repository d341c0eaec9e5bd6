/// An encoding with its bytes. They never move or change, so it can be shared between threads.
@usableFromInline package final class FleeceData: @unchecked Sendable {
    // Sendable: the memory is written once, before the initialiser returns.

    private enum Memory {
        case own
        /// Somebody else's, which is kept for it.
        case part(of: FleeceData)
        case kept(by: AnyObject)
        /// Somebody else's, who keeps it as long as he said.
        case lent
    }

    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let total: Int
    /// How many bytes at the start are external data: an encoding of their own that this one points into.
    @usableFromInline package let baseCount: Int
    /// How many bytes lie behind the encoding in the same memory: what belongs to it, for whoever put it there.
    @usableFromInline let annexCount: Int
    private let memory: Memory

    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(data: bytes, base: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// A copy of `data`, whose external pointers lead into `base`. Used for the `extra` column of version vectors, whose base is the body.
    package convenience init(data: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer) {
        self.init(count: base.count + data.count, baseCount: base.count) { memory in
            memory.copyMemory(from: base)
            UnsafeMutableRawBufferPointer(rebasing: memory[base.count...]).copyMemory(from: data)
        }
    }

    package convenience init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) } }
    }

    /// Memory of its own that `fill` writes to, all of it: the encoding, and `annexCount` bytes behind it.
    package init(count: Int, baseCount: Int = 0, annexCount: Int = 0, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count + annexCount, 2), alignment: 8)
        fill(UnsafeMutableRawBufferPointer(start: memory, count: count + annexCount))
        start = UnsafeRawPointer(memory)
        total = count
        self.baseCount = baseCount
        self.annexCount = annexCount
        self.memory = .own
    }

    /// A part of another one's memory, which lives as long as this does. Nothing is copied.
    package init(_ bytes: UnsafeRawBufferPointer, partOf whole: FleeceData, baseCount: Int = 0) {
        let start = bytes.baseAddress ?? whole.start
        precondition(
            start >= whole.start && start + bytes.count <= whole.start + whole.total + whole.annexCount && baseCount <= bytes.count)
        self.start = start
        total = bytes.count
        self.baseCount = baseCount
        annexCount = 0
        if case .part(let owner) = whole.memory { memory = .part(of: owner) } else { memory = .part(of: whole) }
    }

    /// Bytes that stay where they are as long as `owner` is there, which is kept for them. Nothing is copied.
    public init(_ bytes: UnsafeRawBufferPointer, keptBy owner: AnyObject) {
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
        total = bytes.count
        baseCount = 0
        annexCount = 0
        memory = .kept(by: owner)
    }

    /// Bytes that stay somebody else's: only for those who use it while these are there, and give it to nobody.
    package init(lent bytes: UnsafeRawBufferPointer) {
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
        total = bytes.count
        baseCount = 0
        annexCount = 0
        memory = .lent
    }

    deinit { if case .own = memory { start.deallocate() } }

    /// The encoding itself, without the external data. Valid as long as this object: keep that in a variable, or use ``withBytes(_:)``.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + baseCount, count: total - baseCount)
    }

    /// Lends the encoding's bytes to `body`, and keeps them alive meanwhile.
    @inlinable package func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try withExtendedLifetime(self) { () throws(Failure) in try body(bytes) }
    }

    /// The same with the bytes behind the encoding.
    @inlinable package func withAnnex<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try withExtendedLifetime(self) { () throws(Failure) in
            try body(UnsafeRawBufferPointer(start: start + baseCount, count: total - baseCount + annexCount))
        }
    }

    /// Lends the external data and the encoding, which follow each other, to `body`.
    func withBytesAndBase<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try withExtendedLifetime(self) { () throws(Failure) in try body(UnsafeRawBufferPointer(start: start, count: total)) }
    }

    /// The root, undefined if the bytes are damaged. It must not outlive this object: see ``withRoot(_:)``.
    package var root: Value {
        Value(root: UnsafeRawBufferPointer(start: start, count: total), externalCount: baseCount) ?? .undefined
    }

    /// Calls `body` with the root, undefined if the bytes are damaged, and keeps the bytes alive meanwhile.
    package func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try withExtendedLifetime(self) { () throws(Failure) in try body(root) }
    }

    package static let emptyDictionary = FleeceData([0x70, 0x00])
    package static let emptyArray = FleeceData([0x60, 0x00])
}
