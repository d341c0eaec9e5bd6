import CBLTestSupport
import Glibc

/// What was done to the files below a folder, one thing after another, and what a disk may hold of it when the power goes.
///
/// What was written is safe once the file was synced, and a name once its folder was. Of all else any part may be there, in any order, and of a
/// write any of its sectors. What a sync of a file failed on stays uncertain for ever: a kernel takes such pages for clean. Names are not kept in
/// pages: the next sync of their folder has them.
struct DiskRecord: Sendable {
    enum Action: Sendable {
        case write(file: Int, at: Int, bytes: [UInt8])
        case resize(file: Int, to: Int)
        /// There is an empty folder, in no other yet.
        case make(folder: Int)
        case enter(folder: Int, name: String, node: Int)
        case leave(folder: Int, name: String)
        case rename(folder: Int, name: String, into: Int, newName: String)
        case exchange(folder: Int, name: String, with: Int, otherName: String)
        case sync(node: Int)
        case syncAll
        case failedSync(node: Int)
        /// The workload was told that all it had asked for is done.
        case acknowledgement
    }

    /// What gets lost of all that is uncertain.
    enum Loss: Hashable, Sendable {
        case nothing
        case everything
        case contents
        case names
        case allButTheLast
        case theFirst
        case some(seed: UInt64)
        /// Nothing else, but some sectors of the last write.
        case sectors(seed: UInt64)
    }

    /// Files by their numbers; the folder itself is number 0.
    var start = DiskState()
    var actions: [Action] = []

    static let sector = 512

    /// The places of what may be lost if the power goes before action `end`.
    func uncertain(before end: Int) -> [Int] {
        var open: [Int: [Int]] = [:]
        var lost: [Int] = []
        for (index, action) in actions[..<end].enumerated() {
            switch action {
            case .sync(let node): open[node] = nil
            case .syncAll: open.removeAll()
            case .failedSync(let node):
                let (names, contents) = (open[node] ?? []).partitioned { actions[$0].isAboutNames }
                open[node] = names
                lost += contents
            case .make, .acknowledgement: break
            default: if let node = action.node { open[node, default: []].append(index) }
            }
        }
        return (open.values.flatMap { $0 } + lost).sorted()
    }

    /// What a disk holds if the power goes before action `end`, and how many of the uncertain actions there were.
    func state(before end: Int, losing loss: Loss) -> DiskState {
        var state = start
        let uncertain = loss == .nothing ? [] : uncertain(before: end)
        let places = Dictionary(uniqueKeysWithValues: uncertain.enumerated().map { ($1, $0) })
        var random =
            switch loss {
            case .some(let seed), .sectors(let seed): SeededRandom(seed)
            default: SeededRandom(0)
            }
        for (index, action) in actions[..<end].enumerated() {
            guard let place = places[index] else {
                state.apply(action)
                continue
            }
            let isLast = place == uncertain.count - 1
            switch loss {
            case .nothing: state.apply(action)
            case .everything: break
            case .contents: if action.isAboutNames { state.apply(action) }
            case .names: if !action.isAboutNames { state.apply(action) }
            case .allButTheLast: if isLast { state.apply(action) }
            case .theFirst: if place > 0 { state.apply(action) }
            case .some:
                switch random.below(4) {
                case 0: break
                case 1: state.apply(action) { _ in random.below(2) == 0 }
                default: state.apply(action)
                }
            case .sectors: if isLast { state.apply(action) { _ in random.below(2) == 0 } } else { state.apply(action) }
            }
        }
        return state
    }

    /// For the message about a state that should not be.
    func description(before end: Int) -> String {
        func name(_ node: Int) -> String {
            var names = start.names
            for action in actions[..<end] {
                if case .enter(let folder, let name, let node) = action { names[folder, default: [:]][name] = node }
            }
            return names.values.lazy.flatMap { $0 }.first { $0.value == node }?.key ?? "#\(node)"
        }
        return actions[max(0, end - 12)..<end].map { action in
            switch action {
            case .write(let file, let place, let bytes): "write \(name(file)) \(place)+\(bytes.count)"
            case .resize(let file, let size): "resize \(name(file)) \(size)"
            case .make: "mkdir"
            case .enter(let folder, let new, _): "enter \(name(folder))/\(new)"
            case .leave(let folder, let old): "leave \(name(folder))/\(old)"
            case .rename(let folder, let old, _, let new): "rename \(name(folder))/\(old) \(new)"
            case .exchange(let folder, let one, _, let other): "exchange \(name(folder))/\(one) \(other)"
            case .sync(let node): "sync \(name(node))"
            case .syncAll: "sync all"
            case .failedSync(let node): "sync \(name(node)) fails"
            case .acknowledgement: "acknowledged"
            }
        }.joined(separator: "; ")
    }
}

extension Array {
    fileprivate func partitioned(_ isFirst: (Element) -> Bool) -> ([Element], [Element]) { (filter(isFirst), filter { !isFirst($0) }) }
}

extension DiskRecord.Action {
    /// What has to be synced for it to be safe.
    var node: Int? {
        switch self {
        case .write(let file, _, _), .resize(let file, _): file
        case .enter(let folder, _, _), .leave(let folder, _), .rename(_, _, let folder, _), .exchange(_, _, let folder, _): folder
        case .make, .sync, .syncAll, .failedSync, .acknowledgement: nil
        }
    }

    var isAboutNames: Bool {
        switch self {
        case .enter, .leave, .rename, .exchange: true
        default: false
        }
    }

    /// Whether what comes before it is a state that programs wait for.
    var isPoint: Bool {
        switch self {
        case .sync, .syncAll, .failedSync, .acknowledgement: true
        default: isAboutNames
        }
    }
}

/// Folders and files, of any names or none.
struct DiskState: Sendable {
    /// Of folders: what they have in them.
    var names: [Int: [String: Int]] = [0: [:]]
    var contents: [Int: [UInt8]] = [:]

    /// `keeps` is asked for each sector of a write.
    mutating func apply(_ action: DiskRecord.Action, keeps: (_ sector: Int) -> Bool = { _ in true }) {
        switch action {
        case .write(let file, let place, let bytes):
            let end = place + bytes.count
            var content = contents.removeValue(forKey: file) ?? []
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            var start = place
            while start < end {
                let stop = min(end, (start / DiskRecord.sector + 1) * DiskRecord.sector)
                if keeps(start / DiskRecord.sector) { content.replaceSubrange(start..<stop, with: bytes[(start - place)..<(stop - place)]) }
                start = stop
            }
            contents[file] = content
        case .resize(let file, let size):
            let content = contents[file] ?? []
            contents[file] = Array(content.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - content.count))
        case .make(let folder): names[folder] = names[folder] ?? [:]
        case .enter(let folder, let name, let node): names[folder, default: [:]][name] = node
        case .leave(let folder, let name): names[folder]?[name] = nil
        case .rename(let folder, let name, let into, let newName):
            guard let node = names[folder]?.removeValue(forKey: name) else { return }
            names[into, default: [:]][newName] = node
        case .exchange(let folder, let name, let other, let otherName):
            guard let node = names[folder]?[name], let second = names[other]?[otherName] else { return }
            names[folder]?[name] = second
            names[other]?[otherName] = node
        case .sync, .syncAll, .failedSync, .acknowledgement: break
        }
    }

    /// What there is by names.
    func hash(into hasher: inout Hasher, from folder: Int = 0) {
        for (name, node) in (names[folder] ?? [:]).sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            guard names[node] == nil else {
                hash(into: &hasher, from: node)
                continue
            }
            (contents[node] ?? []).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    var hash: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }

    /// Makes it all below a folder, which is there.
    func write(to path: String, from folder: Int = 0) throws {
        for (name, node) in names[folder] ?? [:] {
            let place = "\(path)/\(name)"
            if names[node] != nil {
                guard mkdir(place, 0o700) == 0 else { throw DiskError(place) }
                try write(to: place, from: node)
                continue
            }
            let file = open(place, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw DiskError(place) }
            defer { close(file) }
            let content = contents[node] ?? []
            guard content.withUnsafeBytes({ pwrite(file, $0.baseAddress, $0.count, 0) }) == content.count else { throw DiskError(place) }
        }
    }
}

/// The tests themselves could not do what they have to.
struct DiskError: Error, CustomStringConvertible {
    let description: String
    init(_ path: String) { description = "\(path): \(String(cString: strerror(errno)))" }
}
