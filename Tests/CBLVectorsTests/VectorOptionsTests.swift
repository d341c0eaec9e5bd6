import CBLVectors
import Testing

@Suite struct VectorOptionsTests {
    @Test(arguments: [
        "dimensions=300,clustering=flat8,encoding=SQ8,minToTrain=0,maxToTrain=0",
        "dimensions=300,metric=cosine,clustering=flat20,encoding=PQ5x8,minToTrain=100,maxToTrain=200,probes=5,lazyembedding=true",
        "dimensions=2,metric=dot_product_similarity,clustering=multi2x8,encoding=none,minToTrain=0,maxToTrain=0,lazyindex=true",
    ])
    func theVendorsTextComesBack(text: String) throws {
        #expect(try #require(VectorOptions(text: text)).text == text)
    }

    @Test(arguments: [
        (
            "dimensions=3,centroids=7,metric=L2,encoding=sq",
            "dimensions=3,metric=euclidean,clustering=flat7,encoding=SQ8,minToTrain=0,maxToTrain=0"
        ),
        (
            "clustering=flat2, dimensions = 4 ,what=1,minToTrain=never",
            "dimensions=4,clustering=flat2,encoding=SQ8,minToTrain=999999999,maxToTrain=0"
        ),
        ("dimensions=4,clustering=flat2,lazyembedding=false", "dimensions=4,clustering=flat2,encoding=SQ8,minToTrain=0,maxToTrain=0"),
    ])
    func otherSpellingsAreRead(text: String, usual: String) throws {
        #expect(try #require(VectorOptions(text: text)).text == usual)
    }

    @Test(arguments: [
        "", "dimensions=3", "clustering=flat3", "dimensions=1,clustering=flat1", "dimensions=4097,clustering=flat1",
        "dimensions=3,clustering=flat0",
        "dimensions=3,clustering=flat64001", "dimensions=3,clustering=flat2,encoding=SQ5", "dimensions=3,clustering=flat2,encoding=PQ2x8",
        "dimensions=4,clustering=flat2,encoding=PQ1x8", "dimensions=4,clustering=flat2,encoding=PQ2x13",
        "dimensions=4,clustering=flat2,probes=3",
        "dimensions=4,clustering=flat2,metric=manhattan", "dimensions=4,clustering=multi2x99",
        "dimensions=4,clustering=flat2,minToTrain=9,maxToTrain=8",
    ])
    func whatMakesNoSenseIsRefused(text: String) { #expect(VectorOptions(text: text) == nil) }

    @Test func trainingNeedsAsManyAsTheVendorSays() {
        var options = VectorOptions(dimensions: 10, centroids: 8)
        #expect(options.neededForTraining == 200)
        options.minimumTraining = 100
        #expect(options.neededForTraining == 200)
        options.minimumTraining = 400
        #expect(options.neededForTraining == 400)
        options.encoding = .product(parts: 5, bits: 12)
        #expect(options.neededForTraining == 102_400)
        #expect(VectorOptions(dimensions: 10, centroids: 8).usedForTraining(of: 10_000) == 800)
        options.maximumTraining = 10_000_000
        #expect(options.usedForTraining(of: 10_000_000) == 256 * 4096)
        #expect(VectorOptions(dimensions: 2, centroids: 1).usualProbes == 1)
        #expect(VectorOptions(dimensions: 2, centroids: 100).usualProbes == 8)
        #expect(VectorOptions(dimensions: 2, centroids: 4000).usualProbes == 20)
    }
}
