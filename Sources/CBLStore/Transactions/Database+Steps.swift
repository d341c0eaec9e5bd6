// For those who do one thing at a time, often inside a transaction of their own, such as an app that saves its documents in one batch.
extension Database {
    /// One change that is whole, or has done nothing when it throws. Inside a transaction of this thread it is a part of that and needs no savepoint.
    @discardableResult
    package func step<Result>(_ work: (Transaction) throws -> Result) throws -> Result {
        guard let transaction = ownTransaction else { return try write(work) }
        do { return try work(transaction.innermost) } catch { throw StoreError.translating(error, path: path) }
    }

    /// Looks at a few documents. Inside a transaction of this thread, nothing has to be written down for that; counters may lag behind.
    package func glance<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        guard let transaction = ownTransaction else { return try read(work) }
        do { return try work(transaction.innermost) } catch { throw StoreError.translating(error, path: path) }
    }

    /// The same for who only takes what is stored of one document, and calls nobody else meanwhile.
    package func peek<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        guard let writer, isOpen, !isInTransaction else { return try glance(work) }
        do {
            if let result = try writer.readNews({ try work(Snapshot($0, of: self)) }) { return result }
        } catch { throw StoreError.translating(error, path: path) }
        return try readCommitted(work)
    }

    /// The same for a thread that must not wait for anybody: nil if the database is not to be had just now, or there is nothing that `work` could
    /// do in a moment. What is wrong with the database, whoever waits for it finds out.
    package func peekAtOnce<Result>(_ work: (Snapshot) throws -> Result?) -> Result? {
        guard isOpen, !isInTransaction else { return nil }
        let reading = { (file: FileConnection) -> Result? in try work(Snapshot(file, of: self)) }
        if let news = try? writer?.readNews(reading) { return news }
        return (try? readers.readAtOnce(reading)) ?? nil
    }

    /// How often a collection of this name was deleted in this process, by whichever `Database` of the file. Who has seen it before that has seen
    /// another one.
    package func deletions(of collection: CollectionName) -> Int { file.deletions.withLock { list in list.count { $0 == collection } } }
}
