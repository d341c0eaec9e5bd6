/// An encoding that owns its bytes. They never move or change, so it can be shared between threads.
public final class FleeceData: @unchecked Sendable {
    // Sendable: the memory is written once, before the initialiser returns.

    private let memory: UnsafeMutableRawPointer
    private let total: Int
    /// How many bytes at the start are external data: an encoding of their own that this one points into.
    public let baseCount: Int

    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(data: bytes, base: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// A copy of `data`, whose external pointers lead into `base`. Used for the `extra` column of version vectors, whose base is the body.
    public init(data: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer) {
        total = base.count + data.count
        baseCount = base.count
        memory = .allocate(byteCount: max(total, 2), alignment: 8)
        UnsafeMutableRawBufferPointer(start: memory, count: base.count).copyMemory(from: base)
        UnsafeMutableRawBufferPointer(start: memory + base.count, count: data.count).copyMemory(from: data)
    }

    public init(_ bytes: [UInt8]) {
        total = bytes.count
        baseCount = 0
        memory = .allocate(byteCount: max(total, 2), alignment: 8)
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: memory, count: total).copyMemory(from: $0) }
    }

    deinit { memory.deallocate() }

    /// The encoding itself, without the external data. Valid as long as this object: keep that in a variable, or use ``withBytes(_:)``.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + baseCount, count: total - baseCount)
    }

    /// Lends the encoding's bytes to `body`, and keeps them alive meanwhile.
    public func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try withExtendedLifetime(self) { () throws(Failure) in try body(bytes) }
    }

    /// Lends the external data and the encoding, which follow each other, to `body`.
    func withBytesAndBase<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try withExtendedLifetime(self) { () throws(Failure) in try body(UnsafeRawBufferPointer(start: memory, count: total)) }
    }

    /// The root, undefined if the bytes are damaged. It must not outlive this object: see ``withRoot(_:)``.
    public var root: Value {
        Value(root: UnsafeRawBufferPointer(start: memory, count: total), externalCount: baseCount) ?? .undefined
    }

    /// Calls `body` with the root, undefined if the bytes are damaged, and keeps the bytes alive meanwhile.
    public func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try withExtendedLifetime(self) { () throws(Failure) in try body(root) }
    }

    public static let emptyDictionary = FleeceData([0x70, 0x00])
    public static let emptyArray = FleeceData([0x60, 0x00])
}
