// Attention of one token: a block a (head, chunk of 64 keys), four warps.
//
// Phases: q of this head rotated into shared memory; the chunk that holds the token also writes
//   its K and V · each warp scores two of the eight key tiles · softmax, by every warp alike ·
//   each warp takes a quarter of the channels · partials to device memory · the last block of a
//   head to finish merges its chunks in ascending order and puts the counter back to zero.
// Layout: attention.cuh; partials [head][chunk][2 + HEAD_DIM] floats: top, sum, out.
// Invariants: only row 0 of the products is a query; the operations on it are those of
//   attention_prefill.cu. Heads that share a kv head write the same K and V bytes.
// Measured: cuda_src/README.md, "Decode".

#define DECODE_WARPS 4
#define PARTIAL (2 + HEAD_DIM)

DEVICE void merge_head(const float* partial, u32 chunks, float* out) {
  for (int i = threadIdx.x; i < HEAD_DIM; i += 32 * DECODE_WARPS) {
    float top = -infinity(), sum = 0.0f, value = 0.0f;
    for (u32 c = 0; c < chunks; ++c) {
      const float* p = partial + (size_t)c * PARTIAL;
      float old, fresh;
      merge_chunk(top, sum, __ldcg(p), __ldcg(p + 1), old, fresh);
      value = merge_out(value, __ldcg(p + 2 + i), old, fresh);
    }
    out[i] = value / sum;
  }
}

// This warp's share of the values: of every eight channels 8n.. the pair 2 * warp, + 1.
struct ValueShare {
  u32 words[BANDS][4][4] = {};

  DEVICE void load(const Keys& keys, u32 chunk, const Range& range) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        u32 key = chunk * CHUNK + value_key(step) + r;
        bool there = range.has(key);
        const u16* row = keys.value(there ? key : 0);
#pragma unroll
        for (int band = 0; band < BANDS; ++band) {
          int channel = 64 * band + lane / 4 * 8 + 2 * warp;
          if (there && channel < HEAD_DIM) words[band][step][r] = *(const u32*)(row + channel);
        }
      }
  }

  DEVICE void weigh(const Weights& weights, float* out) const {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int band = 0; band < BANDS; ++band)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float c[4] = {};
#pragma unroll
        for (int step = 0; step < 4; ++step)
          multiply_values(weights.a[step], words[band][step], half, c);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          int channel = 64 * band + 8 * (2 * lane + i) + 2 * warp + half;
          if (lane < 4 && channel < HEAD_DIM) out[channel] = c[i] + c[i + 2];
        }
      }
  }
};

ENTRY void __launch_bounds__(32 * DECODE_WARPS)
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
  u32 lowest = keys.lowest(position);
  u32 chunks = position / CHUNK - lowest / CHUNK + 1, chunk = lowest / CHUNK + index;
  if (done || index >= chunks) return;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  Range before = {lowest, position}, itself = {position, position + 1};
  KeyTile tiles[2];
  ValueShare values;
  for (int t = 0; t < 2; ++t) tiles[t].load(keys, chunk, 2 * warp + t, before);
  values.load(keys, chunk, before);
  HeadVectors vectors = {q_bias, k_bias, q_norm, k_norm};
  cosines += (size_t)position * PAIRS;
  sines += (size_t)position * PAIRS;
  if (warp == 0) prepare_query(qkv, head, vectors, cosines, sines, hi, lo);
  if (index + 1 == chunks) {
    if (warp == 1) append_key(qkv, kv_head, vectors, cosines, sines, keys.key(position));
    if (warp == 2) append_value(qkv, kv_head, keys.value(position));
  }
  __syncthreads();
  if (index + 1 == chunks) {
    for (int t = 0; t < 2; ++t) tiles[t].load(keys, chunk, 2 * warp + t, itself);
    values.load(keys, chunk, itself);
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
  __syncthreads();
  float scores[8][2];
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int i = 0; i < 2; ++i) scores[j][i] = shared_scores[key_of(j, 2 * (lane % 4) + i)];
  Weights weights;
  weights.from_scores(scores);
  float* head_partials = partials + (size_t)head * max_chunks * PARTIAL;
  float* mine = head_partials + (size_t)index * PARTIAL;
  if (threadIdx.x == 0) {
    mine[0] = weights.top;
    mine[1] = weights.sum;
  }
  values.weigh(weights, mine + 2);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last_block = atomicInc(counters + head, chunks - 1) == chunks - 1;
  __syncthreads();
  if (last_block) {
    __threadfence();
    merge_head(head_partials, chunks, out + head * HEAD_DIM);
  }
}
