// Attention of one token: a block a (head, chunk of 64 keys), four warps and two helpers.
//
// Phases: the helpers rotate q of this head into shared memory and, in the chunk that holds the
//   token, write its K and V, while the four load what earlier tokens left · each warp scores two of the eight key tiles · softmax, by every warp alike ·
//   each warp takes a quarter of the channels · partials to device memory · with ``out``, the last
//   block of a head to finish merges its chunks in ascending order and puts the counter back to
//   zero; without, the linear that follows merges them (linear_decode.cu, chunks_linear).
// Layout: attention.cuh; partials [head][chunk][PARTIAL], chunks.cuh.
// Invariants: only row 0 of the products is a query; the operations on it are those of
//   attention_prefill.cu. Heads that share a kv head write the same K and V bytes.
// Measured: cuda_src/README.md, "Decode".

#define DECODE_WARPS 4
#define DECODE_THREADS (32 * (DECODE_WARPS + 2))

DEVICE void merge_head(const float* partial, u32 chunks, float* out) {
  for (int i = threadIdx.x; i < HEAD_DIM; i += DECODE_THREADS) {
    float top = -infinity(), sum = 0.0f, value = 0.0f;
    for (u32 c = 0; c < chunks; ++c) {
      const float* p = partial + (size_t)c * PARTIAL;
      float old, fresh;
      merge_chunk(top, sum, __ldcg(p), __ldcg(p + 1), old, fresh);
      value = merge_out(value, __ldcg(p + 4 + i), old, fresh);
    }
    out[i] = value / sum;
  }
}

// This warp's share of the values: of the 4 * BANDS channel pairs every column has (pair 4b + w is
// channels 64b + 8n + 2w, + 1), BANDS neighbouring ones, so that a load is as wide as it can be.
struct ValueShare {
  u32 words[4][4][BANDS] = {};

  DEVICE static int channel(int pair, int n) { return 64 * (pair / 4) + 8 * n + 2 * (pair % 4); }

  DEVICE void load(const u16* values, const Range& range) {
    int warp = threadIdx.x / 32, n = threadIdx.x % 32 / 4, pair = warp * BANDS;
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        u32 key = value_key(step) + r;
        bool there = range.has(key);
        const u16* row = values + key * SLOT_ROW;
#if HEAD_DIM == 128
        if (there) *(uint2*)words[step][r] = *(const uint2*)(row + channel(pair, n));
#else
#pragma unroll
        for (int b = 0; b < BANDS; ++b)
          if (there && channel(pair + b, n) < HEAD_DIM)
            words[step][r][b] = *(const u32*)(row + channel(pair + b, n));
#endif
      }
  }

  DEVICE void weigh(const Weights& weights, float* out) const {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int b = 0; b < BANDS; ++b)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float c[4] = {};
#pragma unroll
        for (int step = 0; step < 4; ++step)
          multiply_values(weights.a[step], {words[step][0][b], words[step][1][b],
                                            words[step][2][b], words[step][3][b]}, half, c);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          int at = channel(warp * BANDS + b, 2 * lane + i) + half;
          if (lane < 4 && at < HEAD_DIM) out[at] = c[i] + c[i + 2];
        }
      }
  }
};

ENTRY void __launch_bounds__(DECODE_THREADS)
    attend_token(const Live* live, const float* qkv, const float* q_bias, const float* k_bias,
                 const float* q_norm, const float* k_norm, const float* cosines,
                 const float* sines, u32 slot, float* partials, u32* counters, u32 max_chunks,
                 float* out) {
  __shared__ __align__(16) u16 hi[PADDED_DIM];
  __shared__ __align__(16) u16 lo[PADDED_DIM];
  __shared__ float shared_scores[CHUNK];
  __shared__ bool last_block;
  let_next_start();
  wait_for_previous();
  u32 position = live->position, done = live->done, index = blockIdx.y;
  int head = blockIdx.x, kv_head = head / (HEADS / KV_HEADS);
  Keys keys = slot_keys(live, slot, kv_head);
  ChunkRange range(position, keys.window);
  u32 chunks = range.count, chunk = range.first + index;
  if (done || index >= chunks) return;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u16 *chunk_keys = keys.keys + keys.start(chunk), *chunk_values = keys.values + keys.start(chunk);
  Range before = Range{range.lowest, position}.within(chunk);
  Range itself = Range{position, position + 1}.within(chunk);
  KeyTile tiles[2];
  ValueShare values;
  if (warp < DECODE_WARPS) {
#pragma unroll
    for (int t = 0; t < 2; ++t) tiles[t].load(chunk_keys, 2 * warp + t, before);
    values.load(chunk_values, before);
  }
  HeadVectors vectors = {q_bias, k_bias, q_norm, k_norm};
  cosines += (size_t)position * PAIRS;
  sines += (size_t)position * PAIRS;
  if (warp == DECODE_WARPS) prepare_query(qkv, head, vectors, cosines, sines, hi, lo);
  if (index + 1 == chunks && warp == DECODE_WARPS + 1) {
    append_value(qkv, kv_head, keys.values + keys.at(position));
    append_key(qkv, kv_head, vectors, cosines, sines, keys.keys + keys.at(position));
  }
  __syncthreads();
  if (warp < DECODE_WARPS) {
    if (index + 1 == chunks) {
#pragma unroll
      for (int t = 0; t < 2; ++t) tiles[t].load(chunk_keys, 2 * warp + t, itself);
      values.load(chunk_values, itself);
    }
    Query query;
    query.load(hi, lo);
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      float s[2];
      tiles[t].score(query, s);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        u32 key = key_of(2 * warp + t, 2 * (lane % 4) + i);
        bool seen = keys.seen(chunk * CHUNK + key, position);
        if (lane < 4) shared_scores[key] = seen ? s[i] : -infinity();
      }
    }
  }
  __syncthreads();
  float* head_partials = partials + (size_t)head * max_chunks * PARTIAL;
  if (warp < DECODE_WARPS) {
    float scores[8][2];
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) scores[j][i] = shared_scores[key_of(j, 2 * (lane % 4) + i)];
    Weights weights;
    weights.from_scores(scores);
    float* mine = head_partials + (size_t)index * PARTIAL;
    if (threadIdx.x == 0) {
      mine[0] = weights.top;
      mine[1] = weights.sum;
    }
    values.weigh(weights, mine + 4);
  }
  if (!out) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last_block = atomicInc(counters + head, chunks - 1) == chunks - 1;
  __syncthreads();
  if (last_block) {
    __threadfence();
    merge_head(head_partials, chunks, out + head * HEAD_DIM);
  }
}
