// Included by `Kernels.c` for each kind of processor, with the names that NAMED makes for it.
//
// What they call is macros and no functions, which would be compiled for one processor: vectors do not pass between two.

#define LOAD(pointer) ({ Lanes loaded; memcpy(&loaded, pointer, sizeof loaded); loaded; })
#define NUMBER(pointer) ({ float number; memcpy(&number, pointer, sizeof number); number; })
#define LOAD_CODES(pointer) ({ Codes loaded; memcpy(&loaded, pointer, sizeof loaded); __builtin_convertvector(loaded, Lanes); })
#define SUM(v) (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))

static void NAMED(squared_distances)(const float *query, const void *rows, size_t count, size_t dimensions, float *results) {
    for (size_t row = 0; row < count; row++) {
        const char *bytes = (const char *)rows + row * dimensions * sizeof(float);
        Lanes first = {0}, second = {0};
        size_t place = 0;
        for (; place + 2 * lanes <= dimensions; place += 2 * lanes) {
            Lanes near = LOAD(query + place) - LOAD(bytes + 4 * place);
            Lanes far = LOAD(query + place + lanes) - LOAD(bytes + 4 * (place + lanes));
            first += near * near;
            second += far * far;
        }
        first += second;
        float sum = SUM(first);
        for (; place < dimensions; place++) {
            float difference = query[place] - NUMBER(bytes + 4 * place);
            sum += difference * difference;
        }
        results[row] = sum;
    }
}

static void NAMED(dot_products)(const float *query, const void *rows, size_t count, size_t dimensions, float *results) {
    for (size_t row = 0; row < count; row++) {
        const char *bytes = (const char *)rows + row * dimensions * sizeof(float);
        Lanes first = {0}, second = {0};
        size_t place = 0;
        for (; place + 2 * lanes <= dimensions; place += 2 * lanes) {
            first += LOAD(query + place) * LOAD(bytes + 4 * place);
            second += LOAD(query + place + lanes) * LOAD(bytes + 4 * (place + lanes));
        }
        first += second;
        float sum = SUM(first);
        for (; place < dimensions; place++) sum += query[place] * NUMBER(bytes + 4 * place);
        results[row] = sum;
    }
}

static void NAMED(code_squared_distances)(
    const float *offset, const float *scale, const uint8_t *codes, size_t count, size_t dimensions, float *results) {
    for (size_t row = 0; row < count; row++, codes += dimensions) {
        Lanes first = {0}, second = {0};
        size_t place = 0;
        for (; place + 2 * lanes <= dimensions; place += 2 * lanes) {
            Lanes near = LOAD(offset + place) - LOAD(scale + place) * LOAD_CODES(codes + place);
            Lanes far = LOAD(offset + place + lanes) - LOAD(scale + place + lanes) * LOAD_CODES(codes + place + lanes);
            first += near * near;
            second += far * far;
        }
        first += second;
        float sum = SUM(first);
        for (; place < dimensions; place++) {
            float difference = offset[place] - scale[place] * (float)codes[place];
            sum += difference * difference;
        }
        results[row] = sum;
    }
}

static void NAMED(code_dot_products)(const float *weight, const uint8_t *codes, size_t count, size_t dimensions, float *results) {
    for (size_t row = 0; row < count; row++, codes += dimensions) {
        Lanes first = {0}, second = {0};
        size_t place = 0;
        for (; place + 2 * lanes <= dimensions; place += 2 * lanes) {
            first += LOAD(weight + place) * LOAD_CODES(codes + place);
            second += LOAD(weight + place + lanes) * LOAD_CODES(codes + place + lanes);
        }
        first += second;
        float sum = SUM(first);
        for (; place < dimensions; place++) sum += weight[place] * (float)codes[place];
        results[row] = sum;
    }
}

static void NAMED(unpack_levels)(const uint8_t *packed, size_t bits, size_t count, size_t dimensions, uint8_t *levels) {
    const size_t size = (dimensions * bits + 7) / 8;
    for (size_t row = 0; row < count; row++, packed += size, levels += dimensions) {
        size_t place = 0;
        if (bits == 4) {
            for (; place + 2 <= dimensions; place += 2) {
                levels[place] = packed[place / 2] & 15;
                levels[place + 1] = packed[place / 2] >> 4;
            }
            if (place < dimensions) levels[place] = packed[place / 2] & 15;
        } else if (bits == 6) {
            const uint8_t *bytes = packed;
            for (; place + 4 <= dimensions; place += 4, bytes += 3) {
                uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
                levels[place] = word & 63;
                levels[place + 1] = word >> 6 & 63;
                levels[place + 2] = word >> 12 & 63;
                levels[place + 3] = word >> 18;
            }
            uint32_t word = 0;
            for (size_t byte = 0; bytes + byte < packed + size; byte++) word |= (uint32_t)bytes[byte] << 8 * byte;
            for (; place < dimensions; place++, word >>= 6) levels[place] = word & 63;
        } else {
            memcpy(levels, packed, dimensions);
        }
    }
}

// Six rows by a panel of sixteen centroids is what fits into sixteen registers: twelve sums, two parts of centroids, one of a row.
#define ROW(n) \
    const float *row##n = rows + (n < present ? n : 0) * dimensions; \
    Lanes low##n = {0}, high##n = {0};
#define STEP(n) \
    low##n += low * row##n[place]; \
    high##n += high * row##n[place];
// Which lane of which panel is nearest so far: the lanes are compared with each other when all panels have been seen.
#define KEEP_LANES(n, half, values) \
    { \
        Lanes value = LOAD(half_norms + 16 * panel + half * lanes) - values##n; \
        Choices isNearer = value < best[n][half]; \
        best[n][half] = (Lanes)((isNearer & (Choices)value) | (~isNearer & (Choices)best[n][half])); \
        chosen[n][half] = (isNearer & (int32_t)panel) | (~isNearer & chosen[n][half]); \
    }
#define KEEP(n) KEEP_LANES(n, 0, low) KEEP_LANES(n, 1, high)

static void NAMED(nearest)(
    const float *rows, size_t count, size_t dimensions, const float *panels, const float *half_norms, size_t panel_count,
    uint32_t *nearest, float *distances) {
    for (size_t start = 0; start < count; start += 6, rows += 6 * dimensions) {
        const size_t present = count - start < 6 ? count - start : 6;
        Lanes best[6][2];
        Choices chosen[6][2];
        for (int n = 0; n < 6; n++) {
            best[n][0] = best[n][1] = (Lanes){0} + FLT_MAX;
            chosen[n][0] = chosen[n][1] = (Choices){0};
        }
        const float *centroids = panels;
        for (size_t panel = 0; panel < panel_count; panel++) {
            ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5)
            for (size_t place = 0; place < dimensions; place++, centroids += 16) {
                Lanes low = LOAD(centroids), high = LOAD(centroids + lanes);
                STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
            }
            KEEP(0) KEEP(1) KEEP(2) KEEP(3) KEEP(4) KEEP(5)
        }
        for (size_t n = 0; n < present; n++) {
            const float *row = rows + n * dimensions;
            float norm = 0, least = FLT_MAX;
            uint32_t choice = 0;
            for (size_t place = 0; place < dimensions; place++) norm += row[place] * row[place];
            for (uint32_t lane = 0; lane < 16; lane++) {
                float value = best[n][lane / lanes][lane % lanes];
                uint32_t centroid = 16 * (uint32_t)chosen[n][lane / lanes][lane % lanes] + lane;
                if (value < least || (value == least && centroid < choice)) {
                    least = value;
                    choice = centroid;
                }
            }
            nearest[start + n] = choice;
            distances[start + n] = norm + 2 * least > 0 ? norm + 2 * least : 0;
        }
    }
}
