import FoundationEssentials
import Glibc

/// A thread of a process, as the kernel tells of it.
package struct ProcessThread: Hashable, Sendable {
    private let folder: String

    package init(_ id: pid_t, of process: pid_t) { folder = "/proc/\(process)/task/\(id)" }

    private init(folder: String) { self.folder = folder }

    /// The one that asks.
    package static var current: ProcessThread {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = readlink("/proc/thread-self", &buffer, buffer.count)
        return ProcessThread(folder: "/proc/" + String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    package var isThere: Bool { access(folder, F_OK) == 0 }
    package var name: String { (try? String(contentsOfFile: folder + "/comm", encoding: .utf8))?.filter { $0 != "\n" } ?? "" }

    /// How often it began to wait, so how often it was woken; nil if it is gone.
    package var sleeps: Int? {
        guard let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line.flatMap { Int($0.drop { !$0.isNumber }) }
    }

    /// How many descriptors of this process have the kernel tell of changes in a folder.
    package static func noticeCount(ofFolder path: String) -> Int {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return 0 }
        let mark = "ino:" + String(facts.st_ino, radix: 16) + " "
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")) ?? []
        return names.filter { name in
            ((try? String(contentsOfFile: "/proc/self/fdinfo/" + name, encoding: .utf8)) ?? "").contains(mark)
        }.count
    }
}
