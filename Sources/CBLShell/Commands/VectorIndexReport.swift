import CBLFleece
import CBLFunctions
import CBLStore
import Synchronization

/// What became of the documents that a vector index was made of.
final class VectorIndexReport: Sendable {
    private struct State {
        var problems: [VectorProblem: Int] = [:]
        var warnings: [String] = []
        var documents = 0
        var vectors = 0
        var isLazy = false
    }

    private let state = Mutex(State())

    /// Runs what makes an index, and counts.
    func hearing<Result>(_ work: () throws -> Result) rethrows -> Result {
        VectorWarnings.setListener { [self] warning in hear(warning) }
        defer { VectorWarnings.setListener(nil) }
        return try work()
    }

    private func hear(_ warning: VectorWarning) {
        state.withLock { state in
            if case .noVector(let problem, _) = warning {
                state.problems[problem, default: 0] += 1
            } else {
                state.warnings.append(warning.description)
            }
        }
    }

    /// Before the transaction ends that the index was made in.
    func count(_ index: VectorIndex, in transaction: Transaction) throws {
        guard let collection = index.collection else { return }
        let documents = try transaction.counts(of: collection).live
        state.withLock { state in
            state.documents = documents
            state.vectors = index.pending + index.listed
            state.isLazy = index.options.isLazy
        }
    }

    func tell(_ session: Session) {
        let state = state.withLock { $0 }
        for warning in state.warnings { session.notice(warning) }
        if state.isLazy { return session.notice("'embed' or an app gives the documents their vectors.") }
        let strange = state.problems.values.reduce(0, +)
        let without = state.documents - state.vectors - strange
        if without > 0 { session.notice("\(VectorIndexReport.documents(without)) no vector.") }
        guard strange > 0 else { return }
        let reasons = VectorProblem.allCases.compactMap { problem in state.problems[problem].map { "\(problem.rawValue): \($0)" } }
        session.notice("\(VectorIndexReport.documents(strange)) something that is none (\(reasons.joined(separator: "; "))).")
    }

    /// For programs.
    func write(to line: inout JSONObjectWriter) {
        let state = state.withLock { $0 }
        guard !state.isLazy else { return }
        let strange = state.problems.values.reduce(0, +)
        line.add("vectors", state.vectors)
        line.add("withoutVector", max(state.documents - state.vectors - strange, 0))
        line.add("noVector", strange)
    }

    private static func documents(_ count: Int) -> String {
        count == 1 ? "1 document has" : "\(ProgressLine.grouped(count)) documents have"
    }
}
