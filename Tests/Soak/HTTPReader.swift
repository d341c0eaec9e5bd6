import CBLBase
import Glibc
import Synchronization

/// Asks the gateway for documents, lists, changes and queries over HTTP, one after the other.
final class HTTPReader: Sendable {
    private let port: UInt16
    private let paths: [String]
    private let times = Mutex<[Double]>([])
    private let isStopped = Atomic(false)

    init(port: UInt16, database: String) {
        self.port = port
        paths = ["/doc-7", "/_all_docs?limit=50&include_docs=true", "/_changes?limit=50&descending=true", ""].map { "/\(database)\($0)" }
    }

    func start() {
        _ = WorkerThread { [self] in
            var turn = 0
            while !isStopped.load(ordering: .relaxed) {
                let begin = ContinuousClock.now
                if HTTPReader.get(paths[turn % paths.count], port) != nil {
                    times.withLock { $0.append((ContinuousClock.now - begin) / .milliseconds(1)) }
                }
                turn += 1
                usleep(200_000)
            }
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func takeTimes() -> [Double] {
        times.withLock { times in
            defer { times = [] }
            return times
        }
    }

    /// The answer, with its head.
    static func get(_ path: String, _ port: UInt16) -> String? {
        guard let socket = Cable.connection(to: port) else { return nil }
        defer { close(socket) }
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        guard write(socket, request, request.utf8.count) == request.utf8.count else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer.isEmpty ? nil : String(decoding: answer, as: UTF8.self)
    }
}
