/// How indexing is gone about, and who hears of it.
package struct IndexingOptions: Sendable {
    package var cancellation: ViewCancellation?
    /// Told of documents whose rows were dropped because a map function failed.
    package var onFailure: (@Sendable (MapFailure) -> Void)?
    /// Told now and then how many documents were looked at; from several threads.
    package var onProgress: (@Sendable (Int) -> Void)?
    /// How many rows of a table are mapped at a time, and below how many two threads are not worth it.
    var pieceLength: Int64 = 4096
    var fewestRows: Int64 = 8192
    /// How much memory of each thread rows may take until they are written, in bytes.
    var mostMemory = 64 << 20
    var usesTwoThreads = true

    package init(
        cancellation: ViewCancellation? = nil, onFailure: (@Sendable (MapFailure) -> Void)? = nil,
        onProgress: (@Sendable (Int) -> Void)? = nil
    ) {
        self.cancellation = cancellation
        self.onFailure = onFailure
        self.onProgress = onProgress
    }
}

/// What an update did.
package struct IndexingReport: Sendable, Equatable {
    /// Documents that were looked at, deleted ones included.
    package var documents = 0
    /// Views that were made anew.
    package var rebuilt: [String] = []
    /// Documents whose rows went because they themselves had gone without leaving a sequence.
    package var vanished = 0
}
