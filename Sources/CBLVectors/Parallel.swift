import CBLBase
import Glibc

/// Work on parts of something on all cores at once.
enum Parallel {
    static let cores = min(max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1), 16)

    /// Calls `work` with ranges that make up `0..<count`, one for each core; returns when all are done.
    static func run(_ count: Int, atLeast smallest: Int = 1, _ work: @escaping @Sendable (_ part: Int, Range<Int>) -> Void) {
        let parts = max(1, min(cores, count / max(smallest, 1)))
        let bounds = (0...parts).map { $0 * count / parts }
        let threads = (1..<max(parts, 1)).map { part in
            WorkerThread(name: "cblite-vectors") { work(part, bounds[part]..<bounds[part + 1]) }
        }
        work(0, bounds[0]..<bounds[1])
        for thread in threads { thread.join() }
    }
}

/// Memory that several threads write to, each its own part of it.
final class SharedArray<Element: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: nobody writes where another reads or writes.
    let elements: UnsafeMutableBufferPointer<Element>

    init(repeating value: Element, count: Int) {
        elements = .allocate(capacity: max(count, 1))
        elements.initialize(repeating: value)
    }

    convenience init(_ array: [Element], or value: Element) {
        self.init(repeating: value, count: array.count)
        for (place, element) in array.enumerated() { elements[place] = element }
    }

    deinit { elements.deallocate() }

    var base: UnsafeMutablePointer<Element> { elements.baseAddress! }
}
