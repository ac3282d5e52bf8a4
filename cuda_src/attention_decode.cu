// Attention of one token: a block a (head, four chunks of 64 keys, all channels or 64 of them), four
// warps a chunk and two helpers.
//
// Phases: load what earlier tokens left, while the kernel before ends · wait for q, k and v · the
//   helpers rotate q of this head into shared memory and, in the block of the last chunk, make the
//   token's K and V there and keep them · each warp scores two of its chunk's eight key tiles ·
//   softmax, by the chunk's warps alike · each warp takes a quarter of the block's channels ·
//   chunks merge in ascending order: in shared memory where one block has them all, else through
//   ``partials``, by the last block of the head to finish, which puts the counter back to zero.
// Layout: attention.cuh; partials [head][chunk][PARTIAL], chunks.cuh.
// Invariants: only row 0 of the products is a query; the operations on it are those of
//   attention_prefill.cu.
// Measured: cuda_src/README.md, "Decode".

#define TEAMS 4  // chunks of a block
#define MEMBERS 4
#define WORKERS (TEAMS * MEMBERS)
#define DECODE_THREADS (32 * (WORKERS + 2))

// Merges ``chunks`` partials, read by load(address), into out[this block's channels]; AHEAD of
// them are read before the first is merged, for the reading takes longer.
template <int HELD, int AHEAD, class Load>
DEVICE void merge_head(const float* partial, u32 chunks, float* out, Load load) {
  int i = 64 * HELD * blockIdx.z + threadIdx.x;
  if (threadIdx.x < 64 * HELD && i < HEAD_DIM) {
    float top = -infinity(), sum = 0.0f, value = 0.0f;
    for (u32 first = 0; first < chunks; first += AHEAD) {
      float tops[AHEAD], sums[AHEAD], values[AHEAD];
#pragma unroll
      for (int c = 0; c < AHEAD; ++c) {
        const float* p = partial + (size_t)(first + c < chunks ? first + c : first) * PARTIAL;
        tops[c] = load(p + 2 * blockIdx.z);
        sums[c] = load(p + 2 * blockIdx.z + 1);
        values[c] = load(p + OUT_AT + i);
      }
#pragma unroll
      for (int c = 0; c < AHEAD; ++c)
        if (first + c < chunks) {
          float old, fresh;
          merge_chunk(top, sum, tops[c], sums[c], old, fresh);
          value = merge_out(value, values[c], old, fresh);
        }
    }
    out[i] = value / sum;
  }
}

// This warp's share of the block's values. The block has HELD bands of 64 channels, each four pairs
// of every eight channels 8n..; a warp has HELD neighbouring pairs, so that a load is wide.
template <int HELD>
struct ValueShare {
  u32 words[4][4][HELD] = {};

  DEVICE static int channel(int n, int b) {
    int pair = threadIdx.x / 32 % MEMBERS * HELD + b;
    return 64 * (blockIdx.z * HELD + pair / 4) + 8 * n + 2 * (pair % 4);
  }

  template <bool EARLY>
  DEVICE void load_row(int step, int r, const u16* row) {
    int n = threadIdx.x % 32 / 4;
#if HEAD_DIM % 128 == 0
    if (HELD == 2) {
      *(uint2*)words[step][r] = read_keys<EARLY>((const uint2*)(row + channel(n, 0)));
      return;
    }
#endif
#pragma unroll
    for (int b = 0; b < HELD; ++b)
      if (channel(n, b) < HEAD_DIM)
        words[step][r][b] = read_keys<EARLY>((const u32*)(row + channel(n, b)));
  }

  DEVICE void load(const u16* values, const Range& range) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        if (range.has(value_key(step) + r))
          load_row<true>(step, r, values + (value_key(step) + r) * SLOT_ROW);
  }

  // Takes the value at ``key`` of the chunk from ``row`` [HEAD_DIM].
  DEVICE void take(const u16* row, u32 key) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        if (value_key(step) + r == key) load_row<false>(step, r, row);
  }

  DEVICE void weigh(const Weights& weights, float* out) const {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int b = 0; b < HELD; ++b)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float c[4] = {};
#pragma unroll
        for (int step = 0; step < 4; ++step)
          multiply_values(weights.a[step], {words[step][0][b], words[step][1][b],
                                            words[step][2][b], words[step][3][b]}, half, c);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          int at = channel(2 * lane + i, b) + half;
          if (lane < 4 && at < HEAD_DIM) out[at] = c[i] + c[i + 2];
        }
      }
  }
};

#define ATTEND_ARGUMENTS                                                                       \
  const Live *live, const float *qkv, const float *q_bias, const float *k_bias,                \
      const float *q_norm, const float *k_norm, const float *cosines, const float *sines,       \
      u32 slot, float *partials, u32 *counters, u32 max_chunks, float *out

template <int HELD>
DEVICE void attend(ATTEND_ARGUMENTS) {
  __shared__ __align__(16) u16 hi[PADDED_DIM];
  __shared__ __align__(16) u16 lo[PADDED_DIM];
  __shared__ __align__(16) u16 new_key[HEAD_DIM];
  __shared__ __align__(16) u16 new_value[HEAD_DIM];
  __shared__ float scores_of[TEAMS][CHUNK];
  __shared__ float merged[TEAMS][PARTIAL];
  __shared__ bool last_block;
  let_next_start();
  // The live struct and what earlier tokens left are older than this token's graph: they are read
  // while the kernel before ends. Only ``qkv`` is waited for.
  u32 position = early(live->position), done = early(live->done);
  int head = blockIdx.x, kv_head = head / (HEADS / KV_HEADS);
  Keys keys = slot_keys(live, slot, kv_head);
  ChunkRange range(position, keys.window);
  u32 chunks = range.count, blocks = (chunks + TEAMS - 1) / TEAMS;
  if (done || blockIdx.y >= blocks) {
    wait_for_previous();  // a grid that does not wait ends before those it depends on
    return;
  }
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, team = warp / MEMBERS;
  u32 index = blockIdx.y * TEAMS + team, chunk = range.first + index;
  bool works = warp < WORKERS && index < chunks, last = index + 1 == chunks;
  int first_tile = warp % MEMBERS * 2;
  KeyTile tiles[2];
  ValueShare<HELD> values;
  if (works) {
    Range before = Range{range.lowest, position}.within(chunk);
#pragma unroll
    for (int t = 0; t < 2; ++t)
      tiles[t].load<true>(keys.keys + keys.start(chunk), first_tile + t, before);
    values.load(keys.values + keys.start(chunk), before);
  }
  size_t here = keys.at(position);
  wait_for_previous();
  HeadVectors vectors = {q_bias, k_bias, q_norm, k_norm};
  cosines += (size_t)position * PAIRS;
  sines += (size_t)position * PAIRS;
  if (warp == WORKERS) prepare_query(qkv, head, vectors, cosines, sines, hi, lo);
  if (warp == WORKERS + 1 && blockIdx.y + 1 == blocks) {
    append_value(qkv, kv_head, new_value);
    append_key(qkv, kv_head, vectors, cosines, sines, new_key);
  }
  __syncthreads();
  bool keeper = blockIdx.z == 0 && head % (HEADS / KV_HEADS) == 0;  // of those that made them
  if (warp == WORKERS + 1 && blockIdx.y + 1 == blocks && keeper)
    for (int i = lane; i < HEAD_DIM; i += 32) {
      keys.keys[here + i] = new_key[i];
      keys.values[here + i] = new_value[i];
    }
  if (works) {
    if (last) {
#pragma unroll
      for (int t = 0; t < 2; ++t) tiles[t].take(new_key, first_tile + t, position % CHUNK);
      values.take(new_value, position % CHUNK);
    }
    float c[2][4] = {};
#pragma unroll
    for (int s = 0; s < SPANS; ++s) {
      QueryPart query;
      query.load(hi, lo, s);
#pragma unroll
      for (int t = 0; t < 2; ++t) query.score(c[t], tiles[t].part[s]);
    }
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        u32 key = key_of(first_tile + t, 2 * (lane % 4) + i);
        bool seen = keys.seen(chunk * CHUNK + key, position);
        if (lane < 4) scores_of[team][key] = seen ? c[t][i] + c[t][i + 2] : -infinity();
      }
  }
  __syncthreads();
  float* head_partials = partials + (size_t)head * max_chunks * PARTIAL;
  if (works) {
    float scores[8][2];
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) scores[j][i] = scores_of[team][key_of(j, 2 * (lane % 4) + i)];
    Weights weights;
    weights.from_scores(scores);
    float* mine = blocks == 1 ? merged[team] : head_partials + (size_t)index * PARTIAL;
    if (warp % MEMBERS == 0 && lane == 0) {
      mine[2 * blockIdx.z] = weights.top;
      mine[2 * blockIdx.z + 1] = weights.sum;
    }
    values.weigh(weights, mine + OUT_AT);
  }
  out += head * HEAD_DIM;
  if (blocks == 1) {
    __syncthreads();
    merge_head<HELD, TEAMS>(merged[0], chunks, out, [](const float* p) { return *p; });
    return;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last_block = atomicInc(counters + head * BANDS + blockIdx.z, blocks - 1) == blocks - 1;
  __syncthreads();
  if (last_block) {
    __threadfence();
    merge_head<HELD, 8>(head_partials, chunks, out, [](const float* p) { return __ldcg(p); });
  }
}

// A block has all channels: many chunks keep the device busy anyhow.
ENTRY void __launch_bounds__(DECODE_THREADS, 1) attend_token(ATTEND_ARGUMENTS) {
  attend<BANDS>(live, qkv, q_bias, k_bias, q_norm, k_norm, cosines, sines, slot, partials, counters,
                max_chunks, out);
}

// A block has 64 channels: with one block a head, reading the keys twice is cheaper than one
// multiprocessor reading everything.
ENTRY void __launch_bounds__(DECODE_THREADS, 1) attend_token_bands(ATTEND_ARGUMENTS) {
  attend<1>(live, qkv, q_bias, k_bias, q_norm, k_norm, cosines, sines, slot, partials, counters,
            max_chunks, out);
}
