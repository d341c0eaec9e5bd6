#if compiler(>=6.2)
    /// What any thread can decode, as it does so by no actor's code.
    public typealias AsyncDecodable = Decodable & SendableMetatype
#else
    /// What any thread can decode.
    public typealias AsyncDecodable = Decodable
#endif
