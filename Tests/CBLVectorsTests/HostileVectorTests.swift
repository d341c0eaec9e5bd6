import CBLTestSupport
import Testing

@testable import CBLVectors

/// Blocks, models and options as a file has them that a stranger has made: an error or a value that makes sense, never a crash.
@Suite struct HostileVectorTests {
    private static let encodings = [
        VectorEncoding.none, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4), .product(parts: 3, bits: 5),
        .product(parts: 2, bits: 11),
    ]

    private static func options(_ encoding: VectorEncoding, _ metric: VectorMetric = .squaredEuclidean) -> VectorOptions {
        var options = VectorOptions(dimensions: 6, centroids: 4)
        options.encoding = encoding
        options.metric = metric
        return options
    }

    /// Everything that is done with a model and a block of it.
    private static func use(_ model: VectorModel, _ bytes: [UInt8], _ query: [Float]) throws {
        bytes.withUnsafeBytes { bytes in
            guard let block = VectorBlock(bytes, codeSize: model.codeSize) else { return }
            #expect(block.codes.count == block.count * model.codeSize)
            var scan = ListScan(model, query)
            var queue = NearestQueue(limit: 5)
            for list in scan.lists(3) + [-1, model.listCount] { scan.scan(block, list: list, &queue) }
            #expect(queue.sorted().allSatisfy { !$0.order.isNaN })
            for place in 0..<block.count {
                let vector = model.decode(block.code(place), list: place % model.listCount)
                #expect(vector?.count == query.count)
                #expect(model.decode(block.code(place), list: model.listCount) == nil)
            }
            var copy = VectorBlockWriter()
            copy.append(block) { _ in true }
            #expect(copy.count == block.count)
        }
        let batch = VectorBatch(model, capacity: 3)
        for (place, vector) in [query, query.map { $0 * .infinity }, query.map { _ in .nan }].enumerated() {
            SampleVectors.withBytes(vector) { batch.append(VectorID(sequence: UInt64(place), check: 1), $0) }
        }
        try model.encode(batch)
        #expect((0..<3).allSatisfy { batch.list($0) < model.listCount })
    }

    @Test(arguments: encodings) func everySmallChangeOfABlockIsSeenOrHarmless(_ encoding: VectorEncoding) throws {
        let sample = SampleVectors(60, dimensions: 6)
        for metric in [VectorMetric.squaredEuclidean, .cosine, .dot] {
            let model = try VectorModel(Self.options(encoding, metric), trainedOn: sample.sample())
            let (list, block) = try #require(sample.blocks(model).min { $0.value.count < $1.value.count })
            #expect(block.withUnsafeBytes { VectorBlock($0, codeSize: model.codeSize)?.isIntact(list: list) } == true)
            #expect(block.withUnsafeBytes { VectorBlock($0, codeSize: model.codeSize)?.isIntact(list: list + 1) } == false)
            try Mutation.forEachSmall(of: block) { bytes in
                try Self.use(model, bytes, sample.vectors[0])
                // A check finds it.
                let isIntact = bytes.withUnsafeBytes { VectorBlock($0, codeSize: model.codeSize)?.isIntact(list: list) ?? false }
                #expect(!isIntact)
            }
            var random = SeededRandom(1)
            for _ in 0..<300 { try Self.use(model, Mutation.mutated(block, &random), sample.vectors[0]) }
        }
    }

    @Test(arguments: encodings) func everySmallChangeOfAModelIsSeen(_ encoding: VectorEncoding) throws {
        let sample = SampleVectors(60, dimensions: 6)
        let options = Self.options(encoding)
        let model = try VectorModel(options, trainedOn: sample.sample())
        Mutation.forEachSmall(of: model.bytes) { bytes in
            #expect(bytes.withUnsafeBytes { VectorModel($0, options) } == nil)
        }
    }

    /// What a stranger writes has the right sum.
    @Test(arguments: encodings) func aModelOfAStrangerDoesNoHarm(_ encoding: VectorEncoding) throws {
        let sample = SampleVectors(60, dimensions: 6)
        let options = Self.options(encoding)
        let model = try VectorModel(options, trainedOn: sample.sample())
        let block = try #require(sample.blocks(model).values.first)
        let bytes = Array(model.bytes.dropLast(4))
        var random = SeededRandom(2)
        var read = 0
        for _ in 0..<1500 {
            var changed = bytes
            var hidesVectors = false
            switch random.below(3) {
            case 0: changed = Mutation.mutated(bytes, &random)
            case 1: changed[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            default:
                let place = 4 * random.below(bytes.count / 4)
                let number = random.element(of: [Float.infinity, .nan, -.infinity, .greatestFiniteMagnitude, -1e30, 0])
                for byte in 0..<4 { changed[place + byte] = UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32(byte))) }
                // Behind the head, nothing is near to what is no number.
                hidesVectors = place >= 24 && !number.isFinite
            }
            let signed = changed + VectorModel.sum(of: changed)
            guard let stranger = signed.withUnsafeBytes({ VectorModel($0, options) }) else { continue }
            read += 1
            #expect(!hidesVectors)
            #expect((1...4).contains(stranger.listCount))
            try Self.use(stranger, block, sample.vectors[0])
        }
        #expect(read > 50)
        // One for other options is none for these.
        var others = options
        others.dimensions = 12
        #expect(model.bytes.withUnsafeBytes { VectorModel($0, others) } == nil)
    }

    @Test func blocksOfManyOrWideEntriesAreReadWithinTheirBounds() {
        var random = SeededRandom(3)
        for _ in 0..<5000 {
            var bytes: [UInt8] = [1, random.element(of: [4, 8, 0, 255]), 0, 0]
            let count = random.element(of: [0, 1, 2, 255, 0x7FFF_FFFF, 0xFFFF_FFFF])
            for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * byte))) }
            bytes += (0..<random.below(60)).map { _ in UInt8(random.below(256)) }
            bytes.withUnsafeBytes { bytes in
                guard let block = VectorBlock(bytes, codeSize: 5) else { return }
                #expect(block.count < 6)
                for place in 0..<block.count { _ = (block.id(place), block.code(place)) }
            }
        }
    }

    @Test func optionsOfAnyTextMakeSenseOrAreNone() {
        let valid = [
            "dimensions=300,metric=cosine,clustering=flat20,encoding=PQ5x8,minToTrain=100,maxToTrain=200,probes=5,lazyembedding=true",
            "dimensions=2,clustering=multi2x8,encoding=SQ4,minToTrain=never,maxToTrain=0",
        ]
        var random = SeededRandom(4)
        var read = 0
        func look(_ text: String) {
            guard let options = VectorOptions(text: text) else { return }
            read += 1
            #expect(options.problem == nil)
            #expect(VectorOptions.dimensionRange.contains(options.dimensions) && VectorOptions.centroidRange.contains(options.centroids))
            #expect(options.neededForTraining >= options.centroids && options.usedForTraining(of: 1000) <= 1000)
            #expect((1...options.centroids).contains(options.usualProbes))
            #expect((1...4 * 4096).contains(options.encoding.size(dimensions: options.dimensions)))
            #expect(VectorOptions(text: options.text) == options, "\(text)")
        }
        let numbers = [
            "-1", "0", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e3", "", "never", "64000", "4096",
        ]
        let keys = [
            "dimensions=", "centroids=", "clustering=flat", "encoding=SQ", "encoding=PQ2x", "encoding=PQ", "minToTrain=", "maxToTrain=",
            "probes=", "clustering=multi2x",
        ]
        for text in valid {
            look(text)
            for number in numbers {
                for key in keys {
                    look(text + "," + key + number)
                    look(text + "," + key + number + "x" + number)
                }
            }
            for _ in 0..<4000 { look(String(decoding: Mutation.mutated(Array(text.utf8), &random), as: UTF8.self)) }
        }
        #expect(read > 100)
    }
}
