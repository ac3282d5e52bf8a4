// Causal attention in chunks of 64 keys at absolute positions. A warp scores up to eight
// queries against a chunk: the query as two FP16 digits in rows l/4 (hi) and l/4 + 8 (lo) of one
// mma, keys as columns; weights likewise for the values. Each chunk's (top, sum, out) is relative
// to its own maximum; chunks merge in ascending order. Decode and prefill call these functions
// with the same operands per query, so they give the same bits.
//
// Which key is column n of score tile j is free: key 32*(j/4) + 8*(n/2) + 2*(j%4) + n%2, so that
// the scores a lane holds are the weights it needs for the values, four keys at a time. Channels
// are permuted alike: a lane's 16 bytes of a key (channels 8q.. of 32) feed two products.

#define SPANS ((HEAD_DIM + 31) / 32)      // of 32 channels, for the scores
#define PADDED_DIM (SPANS * 32)
#define PAIRS (HEAD_DIM / 2)
#define SLOT_ROW (KV_HEADS * HEAD_DIM)    // FP16 values of a position in a slot

// Reads of keys and values: EARLY ones, before ``wait_for_previous``, past the first-level cache.
template <bool EARLY, class T>
DEVICE T read_keys(const T* p) {
  return EARLY ? __ldcg(p) : *p;
}

// Eight FP16 channels from ``at``, zero beyond HEAD_DIM.
template <bool EARLY>
DEVICE uint4 load_channels(const u16* row, int at) {
#if HEAD_DIM % 8 == 0
  return at < HEAD_DIM ? read_keys<EARLY>((const uint4*)(row + at)) : make_uint4(0, 0, 0, 0);
#else
  u32 words[4] = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (at + i < HEAD_DIM) words[i / 2] |= (u32)read_keys<EARLY>(row + at + i) << (16 * (i % 2));
  return make_uint4(words[0], words[1], words[2], words[3]);
#endif
}

// Positions from ``from`` up to ``to``. What lies outside is never read: it may hold anything.
struct Range {
  u32 from, to;
  DEVICE bool has(u32 key) const { return from <= key && key < to; }
  // The same, counted from the chunk's first key.
  DEVICE Range within(u32 chunk) const {
    u32 first = chunk * CHUNK;
    return {from > first ? from - first : 0, to > first ? to - first : 0};
  }
};

// One head's keys and values in one slot: position p at (p % ring) * SLOT_ROW.
struct Keys {
  u16 *keys, *values;
  u32 ring, window;

  // Where the chunk lies; a ring that wraps is whole chunks long.
  DEVICE size_t start(u32 chunk) const {
    u32 p = chunk * CHUNK;
    return (size_t)(p < ring ? p : p % ring) * SLOT_ROW;
  }
  DEVICE size_t at(u32 p) const { return start(p / CHUNK) + p % CHUNK * SLOT_ROW; }
  DEVICE u32 lowest(u32 query) const { return ChunkRange(query, window).lowest; }
  DEVICE bool seen(u32 key, u32 query) const { return key <= query && key >= lowest(query); }
};

DEVICE Keys slot_keys(const Live* live, u32 slot, u32 kv_head) {
  u32 ring = early(live->ring);
  size_t start = (size_t)slot * ring * SLOT_ROW + kv_head * HEAD_DIM;
  return {early(live->keys) + start, early(live->values) + start, ring, early(live->window)};
}

// This lane's 8 channels of a span of query l/4, as FP16 digits: the a operand of two products.
struct QueryPart {
  uint4 hi, lo;

  // ``hi``, ``lo``: [PADDED_DIM] FP16 of this lane's query.
  DEVICE void load(const u16* hi_row, const u16* lo_row, int span) {
    hi = *(const uint4*)(hi_row + 32 * span + threadIdx.x % 4 * 8);
    lo = *(const uint4*)(lo_row + 32 * span + threadIdx.x % 4 * 8);
  }

  DEVICE void score(float (&c)[4], const uint4& key) const {
    u32 first[4] = {hi.x, lo.x, hi.y, lo.y}, second[4] = {hi.z, lo.z, hi.w, lo.w};
    mma_f16(c, first, key.x, key.y);
    mma_f16(c, second, key.z, key.w);
  }
};

DEVICE u32 key_of(int tile, int n) { return 32 * (tile / 4) + 8 * (n / 2) + 2 * (tile % 4) + n % 2; }

// This lane's part of score tile ``tile``: the key of column l/4.
struct KeyTile {
  uint4 part[SPANS] = {};

  // ``keys``: row 0 of the chunk; ``range``: within it.
  template <bool EARLY>
  DEVICE void load(const u16* keys, int tile, const Range& range) {
    int lane = threadIdx.x % 32;
    u32 key = key_of(tile, lane / 4);
    if (!range.has(key)) return;
#pragma unroll
    for (int s = 0; s < SPANS; ++s)
      part[s] = load_channels<EARLY>(keys + key * SLOT_ROW, 32 * s + lane % 4 * 8);
  }

  // Takes the key at ``at`` of the chunk from ``row`` [HEAD_DIM].
  DEVICE void take(const u16* row, int tile, u32 at) {
    int lane = threadIdx.x % 32;
    if (key_of(tile, lane / 4) != at) return;
#pragma unroll
    for (int s = 0; s < SPANS; ++s) part[s] = load_channels<false>(row, 32 * s + lane % 4 * 8);
  }
};

// Softmax over a chunk for query l/4: scores[j][i] is the key of tile j, column 2*(l%4) + i,
// already -inf where it is not seen. Returns the weights as a operands of the four value products.
struct Weights {
  u32 a[4][4];
  float top, sum;

  DEVICE void from_scores(const float (&scores)[8][2]) {
    top = -infinity();
#pragma unroll
    for (int j = 0; j < 8; ++j) top = fmaxf(top, fmaxf(scores[j][0], scores[j][1]));
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
    float base = top == -infinity() ? 0.0f : top;
    sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      u32 hi = 0, lo = 0;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float p = exp2_fast((scores[j][i] - base) * SCORE_SCALE);
        sum = sum + p;
        u16 h = to_half(p);
        hi |= (u32)h << (16 * i);
        lo |= (u32)to_half(p - from_half(h)) << (16 * i);
      }
      a[j / 2][j % 2 * 2] = hi;
      a[j / 2][j % 2 * 2 + 1] = lo;
    }
    sum = sum + __shfl_xor_sync(0xffffffffu, sum, 1);
    sum = sum + __shfl_xor_sync(0xffffffffu, sum, 2);
  }
};

// Value product ``step`` (of four) weighs keys value_key(step) .. + 3 of this lane.
DEVICE u32 value_key(int step) {
  return 32 * (step / 2) + 8 * (threadIdx.x % 4) + 4 * (step % 2);
}

// Channel ``half`` (0 or 1) of the two in each word, four keys: the b operand of a value product.
DEVICE void multiply_values(const u32 (&weights)[4], const u32 (&words)[4], int half,
                            float (&c)[4]) {
  u32 pick = half ? 0x7632 : 0x5410;
  mma_f16(c, weights, __byte_perm(words[0], words[1], pick),
          __byte_perm(words[2], words[3], pick));
}

// What one layer does to q and k before attention; null where the model has none.
struct HeadVectors {
  const float *q_bias, *k_bias, *q_norm, *k_norm;
};

// RMS scale over all ``width`` channels of q (or k), computed by every warp alike.
DEVICE float full_scale(const float* x, const float* bias, int width) {
  float squares = 0.0f;
  for (int i = threadIdx.x % 32; i < width; i += 32) {
    float v = bias ? x[i] + bias[i] : x[i];
    squares = __fmaf_rn(v, v, squares);
  }
  return 1.0f / sqrtf(warp_sum(squares) / (float)width + NORM_EPS);
}

// Bias, norm and rotation of one head by one warp. ``x`` [HEAD_DIM] of this head, ``bias`` and
// ``norm`` likewise (norm of this head with QK_NORM full); put(channel, value) takes the result.
template <class Put>
DEVICE void prepare_head(const float* x, const float* bias, const float* norm, float full,
                         const float* cosines, const float* sines, Put put) {
  constexpr int EACH = (PAIRS + 31) / 32;
  int lane = threadIdx.x % 32;
  float low[EACH], high[EACH], squares = 0.0f;
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    int i = lane + 32 * e;
    low[e] = i < PAIRS ? x[i] : 0.0f;
    high[e] = i < PAIRS ? x[i + PAIRS] : 0.0f;
#if QK_BIAS
    if (i < PAIRS) {
      low[e] = low[e] + bias[i];
      high[e] = high[e] + bias[i + PAIRS];
    }
#endif
    squares = __fmaf_rn(low[e], low[e], squares);
    squares = __fmaf_rn(high[e], high[e], squares);
  }
#if QK_NORM == PER_HEAD
  float scale = 1.0f / sqrtf(warp_sum(squares) / (float)HEAD_DIM + NORM_EPS);
#elif QK_NORM == FULL
  float scale = full;
#endif
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    int i = lane + 32 * e;
    if (i >= PAIRS) continue;
#if QK_NORM != NONE
    low[e] = (low[e] * scale) * norm[i];
    high[e] = (high[e] * scale) * norm[i + PAIRS];
#endif
    float c = cosines[i], s = sines[i];
    put(i, __fmaf_rn(low[e], c, -(high[e] * s)));
    put(i + PAIRS, __fmaf_rn(high[e], c, low[e] * s));
  }
}

// Query head ``head`` of the row ``qkv`` into FP16 digits hi, lo [PADDED_DIM].
DEVICE void prepare_query(const float* qkv, int head, const HeadVectors& v, const float* cosines,
                          const float* sines, u16* hi, u16* lo) {
  float full = 0.0f;
#if QK_NORM == FULL
  full = full_scale(qkv, v.q_bias, Q_WIDTH);
#endif
  int at = head * HEAD_DIM;
  for (int i = HEAD_DIM + threadIdx.x % 32; i < PADDED_DIM; i += 32) hi[i] = lo[i] = 0;
  prepare_head(qkv + at, v.q_bias + at, v.q_norm + (QK_NORM == FULL ? at : 0), full, cosines,
               sines, [&](int i, float x) {
                 u16 h = to_half(x);
                 hi[i] = h;
                 lo[i] = to_half(x - from_half(h));
               });
}

// K and V of kv head ``head`` at ``position`` into the slot: the one place that rounds to FP16.
DEVICE void append_key(const float* qkv, int head, const HeadVectors& v, const float* cosines,
                       const float* sines, u16* to) {
  const float* keys = qkv + Q_WIDTH;
  float full = 0.0f;
#if QK_NORM == FULL
  full = full_scale(keys, v.k_bias, KV_WIDTH);
#endif
  int at = head * HEAD_DIM;
  prepare_head(keys + at, v.k_bias + at, v.k_norm + (QK_NORM == FULL ? at : 0), full, cosines,
               sines, [&](int i, float x) { to[i] = to_half(x); });
}

DEVICE void append_value(const float* qkv, int head, u16* to) {
  const float* values = qkv + Q_WIDTH + KV_WIDTH + head * HEAD_DIM;
#pragma unroll
  for (int first = 0; first < HEAD_DIM; first += 32) {
    int i = first + threadIdx.x % 32;
    if (HEAD_DIM % 32 == 0 || i < HEAD_DIM) to[i] = to_half(values[i]);
  }
}
