internal import CBLBase
internal import CBLQuery

/// Does what async callers ask of a database, on threads that may wait: those of the tasks themselves are few, and must not.
package final class AsyncWork: Sendable {
    private static let mostReaders = 4
    /// For what belongs to no database that is open.
    static let files = AsyncWork()

    /// One after another, in the order of asking: the database could not do more at a time.
    private let writes = SerialQueue(on: WorkerPool(name: "cbl-async-write", limit: 1))
    private let readers = WorkerPool(name: "cbl-async-read", limit: AsyncWork.mostReaders)

    /// What has begun is done, even if the task is cancelled meanwhile.
    func write<Value>(_ work: @escaping @Sendable () throws -> Value) async throws -> sending Value {
        try await AsyncJob<Value>().result(work) { writes.perform($0) }.value
    }

    package func read<Value>(_ work: @escaping @Sendable () throws -> Value) async throws -> sending Value {
        try await AsyncJob<Value>().result(work) { SerialQueue(on: readers).perform($0) }.value
    }

    /// Ends by the cancellation when the task is cancelled.
    func read<Value>(
        endedBy cancellation: QueryCancellation, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> sending Value {
        try await read(interruptedBy: { cancellation.cancel() }, work)
    }

    /// Ends by what is called when the task is cancelled.
    package func read<Value>(
        interruptedBy interrupt: @escaping @Sendable () -> Void, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> sending Value {
        try await AsyncJob<Value>(interrupt: interrupt).result(work) { SerialQueue(on: readers).perform($0) }.value
    }
}
