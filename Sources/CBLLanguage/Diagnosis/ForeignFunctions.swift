/// Functions of Couchbase Server's SQL++ that SQL++ for Mobile does not have.
enum ForeignFunctions {
    /// What to use instead, or an empty text; nil if Couchbase Server has no such function either.
    static func alternative(to name: String) -> String? {
        let name = name.lowercased()
        return alternatives[name] ?? (others.contains(name) ? "" : nil)
    }

    private static let alternatives: [String: String] = [
        "coalesce": "use ifmissingornull()", "nvl": "use ifmissingornull()", "nvl2": "use CASE", "decode": "use CASE",
        "ifinf": "use CASE", "ifnan": "use CASE", "ifnanorinf": "use CASE", "len": "use length()", "mb_length": "use length()",
        "cast": "use to_string(), to_number() and the like", "now_millis": "give the time as a parameter",
        "now_str": "give the time as a parameter",
        "now_utc": "give the time as a parameter", "now_local": "give the time as a parameter",
        "clock_millis": "give the time as a parameter",
        "clock_str": "give the time as a parameter", "uuid": "give it as a parameter", "random": "give it as a parameter",
        "substr": "regexp_replace() can cut", "substring": "regexp_replace() can cut", "replace": "use regexp_replace()",
        "position": "use contains() or regexp_position()", "search": "use MATCH(index, words)", "ceiling": "use ceil()",
        "array_first": "write a[0]", "array_size": "use array_length()", "median": "sort and use LIMIT … OFFSET", "mod": "use %",
        "vector_distance": "use approx_vector_distance()", "ucase": "use upper()", "lcase": "use lower()", "isvalued": "write x IS VALUED",
    ]

    private static let others: Set<String> = [
        "array_append", "array_binary_search", "array_concat", "array_distinct", "array_except", "array_flatten", "array_insert",
        "array_intersect", "array_move", "array_position", "array_prepend", "array_put", "array_range", "array_remove", "array_repeat",
        "array_replace", "array_reverse", "array_sort", "array_star", "array_swap", "array_symdiff", "array_union", "array_upsert",
        "base64",
        "base64_decode", "base64_encode", "bitand", "bitclear", "bitnot", "bitor", "bitset", "bitshift", "bittest", "bitxor", "concat2",
        "countn", "curl", "date_add", "date_format_str", "date_part_millis", "date_part_str", "date_range_millis", "date_range_str",
        "date_trunc_millis", "date_trunc_str", "dense_rank", "duration_to_str", "encode_json", "decode_json", "first_value", "formalize",
        "grouping", "has_token", "contains_token", "contains_token_like", "contains_token_regexp", "hexadecimal", "initcap", "title",
        "is_binary", "isbinary", "is_bitset", "lag", "last_value", "lead", "lpad", "rpad", "ltrunc", "mask", "mb_position", "mb_substr",
        "min_by", "missingornull", "nth_value", "ntile", "object_add", "object_concat", "object_field", "object_innerpairs",
        "object_innervalues", "object_length", "object_names", "object_outerpairs", "object_outervalues", "object_pairs", "object_paths",
        "object_put", "object_remove", "object_rename", "object_replace", "object_unwrap", "object_values", "pairs", "percent_rank",
        "poly_length", "ratio_to_report", "regexp_matches", "regexp_split", "repeat", "reverse", "row_number", "sign_bit", "split",
        "stddev", "stddev_pop", "stddev_samp", "str_to_duration", "str_to_zone_name", "suffixes", "tokens", "trim_all", "unnest_pos",
        "url_decode", "url_encode", "variance", "var_pop", "var_samp", "weekday_millis", "weekday_str", "millis", "millis_to_local",
        "millis_to_zone_name", "nanif", "neginfif", "posinfif", "cume_dist", "cosh", "sinh", "tanh",
    ]
}
