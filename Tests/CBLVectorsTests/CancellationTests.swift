import CBLTestSupport
import Synchronization
import Testing

@testable import CBLVectors

/// Work that takes its time hears soon that it is to end.
@Suite struct CancellationTests {
    /// Ends work when it was asked so often.
    private final class Question: Sendable {
        private let count = Mutex(0)
        private let most: Int

        init(most: Int = .max) { self.most = most }

        var asked: Int { count.withLock { $0 } }

        var cancellation: Cancellation {
            Cancellation { [self] in
                count.withLock { count in
                    count += 1
                    return count > most
                }
            }
        }
    }

    @Test(arguments: [VectorEncoding.none, .scalar(bits: 8), .product(parts: 4, bits: 4)])
    func learningEndsWhereverItIs(encoding: VectorEncoding) throws {
        let sample = SampleVectors(300, dimensions: 16).sample()
        var options = VectorOptions(dimensions: 16, centroids: 12)
        options.encoding = encoding
        let whole = Question()
        let model = try VectorModel(options, trainedOn: sample, whole.cancellation)
        // At least once in each turn of each clustering.
        #expect(whole.asked > 10)
        for most in 0..<whole.asked {
            let question = Question(most: most)
            #expect(throws: Cancellation.Cancelled.self) { try VectorModel(options, trainedOn: sample, question.cancellation) }
            // Each core hears of it, and whoever waits for them.
            #expect(question.asked <= most + Parallel.cores + 1)
        }
        // Those who are not disturbed learn the same.
        #expect(try VectorModel(options, trainedOn: sample).bytes == model.bytes)
    }

    @Test func largeWorkIsDoneInPieces() throws {
        // So many products are some milliseconds' work.
        let (count, dimensions, centroids) = (64, 4096, 640)
        let vectors = SampleVectors(centroids, dimensions: dimensions, clusters: 3).vectors
        let middles = Centroids(Array(vectors.joined()), dimensions: dimensions)
        let question = Question()
        _ = try middles.assign(SharedArray(Array(vectors.prefix(count).joined()), or: 0), count, question.cancellation)
        #expect(question.asked >= count * dimensions * centroids >> 25)
    }

    @Test func encodingEndsToo() throws {
        let sample = SampleVectors(200, dimensions: 8)
        let model = try VectorModel(VectorOptions(dimensions: 8, centroids: 8), trainedOn: sample.sample())
        let batch = VectorBatch(model, capacity: 200)
        for (place, vector) in sample.vectors.enumerated() {
            SampleVectors.withBytes(vector) { batch.append(VectorID(sequence: UInt64(place + 1), check: 7), $0) }
        }
        #expect(throws: Cancellation.Cancelled.self) { try model.encode(batch, Question(most: 0).cancellation) }
    }
}
