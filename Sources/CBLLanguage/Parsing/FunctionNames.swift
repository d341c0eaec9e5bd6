extension Select {
    /// The functions that can be called, in lower case, with the four that have a grammar of their own.
    package static let functionNames: [String] = (plainFunctions + ["meta", "match", "rank", "prediction"]).sorted()

    static let plainFunctionNames = Set(plainFunctions)

    private static let plainFunctions: [String] = [
        "array_agg", "array_avg", "array_contains", "array_count", "array_ifnull", "array_length", "array_max", "array_min", "array_of",
        "array_sum",
        "greatest", "least",
        "ifmissing", "ifnull", "ifmissingornull", "missingif", "nullif",
        "millis_to_str", "millis_to_utc", "millis_to_tz", "str_to_millis", "str_to_utc", "str_to_tz", "date_diff_str", "date_diff_millis",
        "date_add_str", "date_add_millis",
        "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "degrees", "div", "e", "exp", "floor", "idiv", "ln", "log", "pi", "power",
        "radians", "round", "round_even", "sign", "sin", "sqrt", "tan", "trunc",
        "regexp_contains", "regexp_like", "regexp_position", "regexp_replace",
        "concat", "contains", "length", "lower", "ltrim", "rtrim", "trim", "upper",
        "isarray", "isatom", "isboolean", "isnumber", "isobject", "isstring", "type", "toarray", "toatom", "toboolean", "tonumber",
        "toobject", "tostring", "is_array", "is_atom", "is_boolean", "is_number", "is_object", "is_string", "typename", "to_array",
        "to_atom", "to_boolean", "to_number", "to_object", "to_string",
        "avg", "count", "max", "min", "sum",
        "euclidean_distance", "cosine_distance", "approx_vector_distance",
    ]
}
