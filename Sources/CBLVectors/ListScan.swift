import CBLVectorKernels

/// A query on its way through the lists of a model. Hot: `Benchmarks/vectors`.
package struct ListScan {
    private let model: VectorModel
    private let query: [Float]
    private let byProduct: Bool
    // For the list at hand: what is the same for all of its entries.
    private var offset: [Float] = []
    private var scale: [Float] = []
    private var tables: [Float] = []
    private var base: Float = 0
    private var list = -1
    // Used again for each block.
    private var orders: [Float] = []
    private var levels: [UInt8] = []
    private var indexes: [UInt16] = []

    /// `query` has as many numbers as the index has dimensions.
    package init(_ model: VectorModel, _ query: [Float]) {
        self.model = model
        byProduct = model.options.metric.isOfProducts
        var query = query
        if model.options.metric.isOfDirections { Kernels.normalize(&query, query.count) }
        self.query = query
    }

    /// The lists to look into, the likeliest first.
    package func lists(_ limit: Int) -> [Int] { model.centroids.nearest(to: query, limit, byProduct: byProduct) }

    /// Offers all entries of a block.
    package mutating func scan(_ block: VectorBlock, list: Int, _ queue: inout NearestQueue) {
        guard block.count > 0, (0..<model.listCount).contains(list) else { return }
        if list != self.list { begin(list) }
        if orders.count < block.count { orders = [Float](repeating: 0, count: block.count) }
        measure(block)
        for place in 0..<block.count { queue.offer(orders[place], block.id(place)) }
    }

    private mutating func begin(_ list: Int) {
        self.list = list
        let dimensions = query.count
        var difference = query
        base = 0
        model.centroids.withCentroid(list) { centroid in
            if byProduct {
                cblvec_dot_products(query, centroid, 1, dimensions, &base)
            } else {
                for place in 0..<dimensions { difference[place] -= centroid[place] }
            }
        }
        switch model.encoder {
        case .none: offset = difference
        case .scalar(let quantizer):
            if byProduct {
                for place in 0..<dimensions { base += query[place] * quantizer.least[place] }
                offset = zip(query, quantizer.step).map { $0 * $1 }
            } else {
                offset = zip(difference, quantizer.least).map { $0 - $1 }
                scale = quantizer.step
            }
        case .product(let quantizer): tables = quantizer.tables(difference, byProduct: byProduct)
        }
    }

    private mutating func measure(_ block: VectorBlock) {
        let (count, dimensions) = (block.count, query.count)
        let bytes = block.codes.baseAddress!.assumingMemoryBound(to: UInt8.self)
        switch model.encoder {
        case .none:
            if byProduct {
                cblvec_dot_products(offset, bytes, count, dimensions, &orders)
            } else {
                cblvec_squared_distances(offset, bytes, count, dimensions, &orders)
            }
        case .scalar(let quantizer):
            if quantizer.bits == 8 {
                measure(levels: bytes, count)
            } else {
                if levels.count < count * dimensions { levels = [UInt8](repeating: 0, count: count * dimensions) }
                cblvec_unpack_levels(bytes, quantizer.bits, count, dimensions, &levels)
                measure(levels: levels, count)
            }
        case .product(let quantizer):
            let parts = quantizer.books.count
            if indexes.count < count * parts { indexes = [UInt16](repeating: 0, count: count * parts) }
            cblvec_unpack_indexes(bytes, quantizer.bits, count, parts, &indexes)
            cblvec_table_sums(tables, quantizer.width, indexes, count, parts, &orders)
        }
        if byProduct {
            for place in 0..<count { orders[place] = -(base + orders[place]) }
        } else if model.options.metric.isOfDirections {
            // Of vectors of length 1, it is twice what the cosine lacks to 1.
            for place in 0..<count { orders[place] /= 2 }
        }
    }

    private mutating func measure(levels: UnsafePointer<UInt8>, _ count: Int) {
        if byProduct {
            cblvec_code_dot_products(offset, levels, count, query.count, &orders)
        } else {
            cblvec_code_squared_distances(offset, scale, levels, count, query.count, &orders)
        }
    }
}
