import CBLDiskCalls
import Glibc

/// Sees all that this process does to the files below a folder, records it, and has calls fail as it is told.
///
///     let watch = try DiskWatch(root)
///     watch.fault = .init([disk_sync], place: 3, error: EIO)
///     …
///     let record = watch.end()
///
/// There is one at a time. Sendable without check because its lock guards all of it.
final class DiskWatch: @unchecked Sendable {
    /// Which calls fail.
    struct Fault: Sendable, CustomStringConvertible {
        var kinds: [disk_kind]
        /// The first one to fail.
        var place: Int
        var error: Int32
        var lasts = false

        init(_ kinds: [disk_kind], place: Int, error: Int32, lasts: Bool = false) {
            (self.kinds, self.place, self.error, self.lasts) = (kinds, place, error, lasts)
        }

        /// To have it again.
        var code: String {
            "\(kinds.map { DiskWatch.names[$0.rawValue] ?? "?" }.joined(separator: "+")) \(place) \(error) \(lasts ? "lasts" : "once")"
        }

        var description: String {
            "\(kinds.map { DiskWatch.names[$0.rawValue] ?? "?" }.joined(separator: "+")) \(place) fails \(lasts ? "for ever after" : "once"): "
                + String(cString: strerror(error))
        }
    }

    static let names: [UInt32: String] = [
        disk_open.rawValue: "open", disk_read.rawValue: "read", disk_write.rawValue: "write", disk_truncate.rawValue: "truncate",
        disk_sync.rawValue: "sync", disk_lock.rawValue: "lock", disk_map.rawValue: "map", disk_make_folder.rawValue: "mkdir",
        disk_link.rawValue: "link", disk_rename.rawValue: "rename", disk_remove.rawValue: "unlink", disk_remove_folder.rawValue: "rmdir",
    ]

    private static nonisolated(unsafe) var current: DiskWatch?
    private static nonisolated(unsafe) let lock: UnsafeMutablePointer<pthread_mutex_t> = {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        return lock
    }()

    private let root: String
    private let device: dev_t
    /// The numbers of files and folders by those of the file system.
    private var nodes: [ino_t: Int] = [:]
    private var count = 1
    private var record = DiskRecord()
    private var plan: Fault?
    private var calls: [UInt32: Int] = [:]
    private var injected = 0
    /// What is known of a call that is being made.
    private var pending: (action: DiskRecord.Action?, makes: (folder: Int, name: String)?)

    init(_ path: String) throws {
        root = path
        var status = stat()
        guard stat(path, &status) == 0 else { throw DiskError(path) }
        device = status.st_dev
        nodes[status.st_ino] = 0
        try add(path, 0)
        DiskWatch.current = self
        disk_watch({ DiskWatch.before($0) }, { DiskWatch.after($0) })
    }

    private static func locked<Result>(_ work: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try work()
    }

    /// Which calls fail from now on. Counting begins anew.
    var fault: Fault? {
        get { DiskWatch.locked { plan } }
        set {
            DiskWatch.locked {
                plan = newValue
                calls = [:]
            }
        }
    }

    /// How many calls of each kind there were, since the last fault was set.
    var callCounts: [UInt32: Int] { DiskWatch.locked { calls } }
    var injectedCount: Int { DiskWatch.locked { injected } }
    /// As far as it goes.
    var recorded: DiskRecord { DiskWatch.locked { record } }

    func acknowledge() { DiskWatch.locked { record.actions.append(.acknowledgement) } }

    func end() -> DiskRecord {
        disk_watch(nil, nil)
        return DiskWatch.locked {
            DiskWatch.current = nil
            return record
        }
    }

    /// What is there when the watch begins.
    private func add(_ path: String, _ folder: Int) throws {
        guard let directory = opendir(path) else { throw DiskError(path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name == "." || name == ".." { continue }
            let place = "\(path)/\(name)"
            var status = stat()
            guard lstat(place, &status) == 0 else { throw DiskError(place) }
            let node = number(status)
            record.start.names[folder, default: [:]][name] = node
            if status.st_mode & S_IFMT == S_IFDIR {
                record.start.names[node] = [:]
                try add(place, node)
                continue
            }
            let file = Glibc.open(place, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw DiskError(place) }
            defer { close(file) }
            var content = [UInt8](repeating: 0, count: Int(status.st_size))
            guard content.withUnsafeMutableBytes({ pread(file, $0.baseAddress, $0.count, 0) }) == content.count else {
                throw DiskError(place)
            }
            record.start.contents[node] = content
        }
    }

    private func number(_ status: stat) -> Int {
        nodes[status.st_ino] = count
        count += 1
        return count - 1
    }

    // MARK: Calls

    private static func before(_ call: UnsafeMutablePointer<disk_call>?) -> Int32 {
        guard let call else { return 0 }
        pthread_mutex_lock(lock)
        guard let watch = current, let code = watch.begin(&call.pointee) else {
            pthread_mutex_unlock(lock)
            return 0
        }
        // What is recorded keeps the lock until it is done: so the record has the order of what happened.
        if code == 0, call.pointee.note == 1 { return 0 }
        pthread_mutex_unlock(lock)
        return code
    }

    private static func after(_ call: UnsafePointer<disk_call>?) {
        guard let call, call.pointee.note == 1 else { return }
        current?.finish(call.pointee)
        pthread_mutex_unlock(lock)
    }

    /// Nil for what is none of ours; else the error, or 0.
    private func begin(_ call: inout disk_call) -> Int32? {
        guard let found = subject(of: call) else { return nil }
        calls[call.kind.rawValue, default: 0] += 1
        if let code = failure(of: call.kind) {
            if call.kind == disk_sync, !isLog(call.descriptor) { record.actions.append(.failedSync(node: found.node)) }
            return code
        }
        guard let action = action(call, found) else { return 0 }
        pending = action
        call.note = 1
        return 0
    }

    /// What was written to a log counts as committed for who reads it after a restart, whatever a sync has said: that goes beyond these tests.
    private func isLog(_ descriptor: Int32) -> Bool {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count - 1)
        return count > 4 && path[(count - 4)..<count].elementsEqual("-wal".utf8.map { CChar($0) })
    }

    private func failure(of kind: disk_kind) -> Int32? {
        guard let plan, plan.kinds.contains(kind) else { return nil }
        let number = plan.kinds.reduce(0) { $0 + (calls[$1.rawValue] ?? 0) }
        guard plan.lasts ? number >= plan.place : number == plan.place else { return nil }
        injected += 1
        return plan.error
    }

    /// The file, or the folder and the name in it.
    private func subject(of call: disk_call) -> (node: Int, name: String)? {
        var status = stat()
        guard let path = call.path else {
            guard fstat(call.descriptor, &status) == 0, status.st_dev == device, let node = nodes[status.st_ino] else { return nil }
            return (node, "")
        }
        let isLink = call.kind == disk_link
        return place(isLink ? call.other_descriptor : call.descriptor, isLink ? call.other_path : path)
    }

    private func place(_ descriptor: Int32, _ path: UnsafePointer<CChar>?) -> (node: Int, name: String)? {
        guard let path else { return nil }
        let text = String(cString: path)
        let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(decoding: text.utf8[text.utf8.index(after: $0)...], as: UTF8.self) } ?? text
        let parent = slash.map { $0 == text.utf8.startIndex ? "/" : String(decoding: text.utf8[..<$0], as: UTF8.self) } ?? "."
        var status = stat()
        let isKnown =
            parent == "." && descriptor != AT_FDCWD ? fstat(descriptor, &status) == 0 : fstatat(descriptor, parent, &status, 0) == 0
        guard isKnown, status.st_dev == device, let node = nodes[status.st_ino] else { return nil }
        return (node, name)
    }

    private func action(_ call: disk_call, _ found: (node: Int, name: String)) -> (DiskRecord.Action?, makes: (folder: Int, name: String)?)?
    {
        switch call.kind {
        case disk_open:
            let makes = call.flags & O_CREAT != 0 || call.flags & DiskWatch.nameless == DiskWatch.nameless
            guard makes else { return nil }
            if call.flags & DiskWatch.nameless == DiskWatch.nameless { return (nil, (-1, "")) }
            var status = stat()
            return fstatat(call.descriptor, call.path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? nil : (nil, (found.node, found.name))
        case disk_write:
            let place = call.offset >= 0 ? Int(call.offset) : Int(lseek(call.descriptor, 0, SEEK_CUR))
            let bytes = UnsafeRawBufferPointer(start: call.bytes, count: call.count)
            return (.write(file: found.node, at: place, bytes: Array(bytes)), nil)
        case disk_truncate: return (.resize(file: found.node, to: Int(call.offset)), nil)
        case disk_sync: return (call.flags == 1 ? .syncAll : .sync(node: found.node), nil)
        case disk_make_folder: return (nil, (found.node, found.name))
        case disk_link:
            var status = stat()
            guard fstatat(call.descriptor, call.path, &status, call.flags & AT_SYMLINK_FOLLOW != 0 ? 0 : AT_SYMLINK_NOFOLLOW) == 0,
                let node = nodes[status.st_ino]
            else { return nil }
            return (.enter(folder: found.node, name: found.name, node: node), nil)
        case disk_rename:
            guard let target = place(call.other_descriptor, call.other_path) else { return nil }
            if call.flags & 2 != 0 {
                return (.exchange(folder: found.node, name: found.name, with: target.node, otherName: target.name), nil)
            }
            return (.rename(folder: found.node, name: found.name, into: target.node, newName: target.name), nil)
        case disk_remove, disk_remove_folder: return (.leave(folder: found.node, name: found.name), nil)
        default: return nil
        }
    }

    private static let nameless: Int32 = 0o20000000 | O_DIRECTORY

    private func finish(_ call: disk_call) {
        let (action, makes) = pending
        guard call.result >= 0 else {
            if case .sync(let node)? = action { record.actions.append(.failedSync(node: node)) }
            return
        }
        if let makes {
            var status = stat()
            let isFound =
                call.kind == disk_open
                ? fstat(Int32(call.result), &status) == 0 : fstatat(call.descriptor, call.path, &status, AT_SYMLINK_NOFOLLOW) == 0
            guard isFound else { return }
            let node = number(status)
            if call.kind == disk_make_folder { record.actions.append(.make(folder: node)) }
            if makes.folder >= 0 { record.actions.append(.enter(folder: makes.folder, name: makes.name, node: node)) }
        } else if case .write(let file, let place, let bytes)? = action {
            record.actions.append(.write(file: file, at: place, bytes: Array(bytes.prefix(Int(call.result)))))
        } else if let action {
            record.actions.append(action)
        }
    }
}
