// Attention of many tokens: first K, V and rotated queries of all of them, then chunks of keys.
//
// Phases: rotate_rows: a block a token, its warps take heads in turn · attend_rows: a block a
//   (head, 32 queries), a warp eight queries; per chunk of 64 keys score, softmax, weigh, merge.
// Layout: attention.cuh; queries [rows][HEADS][2][PADDED_DIM] FP16 (hi, lo).
// Invariants: per (query, chunk) the operations are those of attention_decode.cu; a chunk of which
//   a query sees nothing leaves it untouched, so a neighbour's chunks do not matter.
// Measured: cuda_src/README.md, "Prefill".

ENTRY void __launch_bounds__(THREADS)
    rotate_rows(const Live* live, const float* qkv, const float* q_bias, const float* k_bias,
                const float* q_norm, const float* k_norm, const float* cosines,
                const float* sines, u32 slot, u32 first, u16* queries) {
  wait_for_previous();
  u32 position = first + blockIdx.x;
  HeadVectors vectors = {q_bias, k_bias, q_norm, k_norm};
  qkv += (size_t)blockIdx.x * (Q_WIDTH + 2 * KV_WIDTH);
  cosines += (size_t)position * PAIRS;
  sines += (size_t)position * PAIRS;
  queries += (size_t)blockIdx.x * HEADS * 2 * PADDED_DIM;
  for (int head = threadIdx.x / 32; head < HEADS; head += WARPS) {
    u16* to = queries + (size_t)head * 2 * PADDED_DIM;
    prepare_query(qkv, head, vectors, cosines, sines, to, to + PADDED_DIM);
  }
  for (int head = threadIdx.x / 32; head < KV_HEADS; head += WARPS) {
    Keys keys = slot_keys(live, slot, head);
    append_key(qkv, head, vectors, cosines, sines, keys.keys + keys.at(position));
    append_value(qkv, head, keys.values + keys.at(position));
  }
}

#define QUERY_WARPS 4

ENTRY void __launch_bounds__(32 * QUERY_WARPS)
    attend_rows(const Live* live, const u16* queries, u32 slot, u32 first, u32 count, float* out) {
  wait_for_previous();
  int lane = threadIdx.x % 32, head = blockIdx.x;
  u32 start = (blockIdx.y * QUERY_WARPS + threadIdx.x / 32) * 8;
  if (start >= count) return;
  u32 row = start + lane / 4, safe_row = row < count ? row : count - 1;
  u32 position = first + safe_row, last = first + (start + 8 < count ? start + 7 : count - 1);
  Keys keys = slot_keys(live, slot, head / (HEADS / KV_HEADS));
  Range range = {keys.lowest(first + start), last + 1};
  const u16* mine = queries + ((size_t)safe_row * HEADS + head) * 2 * PADDED_DIM;
  QueryPart query[SPANS];
#pragma unroll
  for (int s = 0; s < SPANS; ++s) query[s].load(mine, mine + PADDED_DIM, s);
  float top = -infinity(), sum = 0.0f, total[BANDS][8][2] = {};
  for (u32 chunk = range.from / CHUNK; chunk <= last / CHUNK; ++chunk) {
    const u16* chunk_keys = keys.keys + keys.start(chunk);
    const u16* chunk_values = keys.values + keys.start(chunk);
    Range here = range.within(chunk);
    float scores[8][2];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      KeyTile part;
      part.load<false>(chunk_keys, j, here);
      float c[4] = {};
#pragma unroll
      for (int s = 0; s < SPANS; ++s) query[s].score(c, part.part[s]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        bool seen = keys.seen(chunk * CHUNK + key_of(j, 2 * (lane % 4) + i), position);
        scores[j][i] = seen ? c[i] + c[i + 2] : -infinity();
      }
    }
    Weights weights;
    weights.from_scores(scores);
    float old, fresh;
    merge_chunk(top, sum, weights.top, weights.sum, old, fresh);
#pragma unroll
    for (int band = 0; band < BANDS; ++band) {
      float c[8][4] = {};
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        uint4 rows[4] = {};
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          u32 key = value_key(step) + r;
          if (here.has(key))
            rows[r] = load_channels<false>(chunk_values + key * SLOT_ROW, 64 * band + lane / 4 * 8);
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          multiply_values(weights.a[step], {rows[0].x, rows[1].x, rows[2].x, rows[3].x},
                          half, c[half]);
          multiply_values(weights.a[step], {rows[0].y, rows[1].y, rows[2].y, rows[3].y},
                          half, c[2 + half]);
          multiply_values(weights.a[step], {rows[0].z, rows[1].z, rows[2].z, rows[3].z},
                          half, c[4 + half]);
          multiply_values(weights.a[step], {rows[0].w, rows[1].w, rows[2].w, rows[3].w},
                          half, c[6 + half]);
        }
      }
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          total[band][j][i] = merge_out(total[band][j][i], c[j][i] + c[j][i + 2], old, fresh);
    }
  }
  if (row >= count) return;
  float* to = out + (size_t)row * Q_WIDTH + head * HEAD_DIM;
#pragma unroll
  for (int band = 0; band < BANDS; ++band)
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        int channel = 64 * band + 8 * (2 * (lane % 4) + i) + j;
        if (channel < HEAD_DIM) to[channel] = total[band][j][i] / sum;
      }
}
