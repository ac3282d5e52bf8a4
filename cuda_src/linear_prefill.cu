// Linear layers of many rows (prefill, deepening): out[t][n] = sum over k of W[n][k] * x[t][k].
//
// Phases: a block takes 128 outputs (a tile of 16 a warp) by 32 tokens · stages of 128 inputs:
//   digits through shared memory (two buffers, the next stage held in registers meanwhile),
//   weights straight from device memory, each read by one warp · a group's integers scaled into
//   FP32 · spans added up · epilogue: store, or SwiGLU.
// Layout: linear.cuh; eight tokens are the eight columns, hi and lo in two products. Rows of the
//   staged digits are 16 bytes apart from a multiple of 128, so ldmatrix has no bank conflict.
// Invariants: per (output, token) the operations and their order are those of linear_decode.cu;
//   tokens beyond ``count`` are computed from whatever stands there and never stored.
// Measured: cuda_src/README.md, "Prefill".

#define TOKENS 32
#define TILES 8  // warps of a block, a tile of 16 outputs each
#define STAGE_K 128
#define STRIDE (STAGE_K + 16)
// Two blocks of 128 registers a thread fit where a group is a whole stage; else one.
#define BLOCKS_A_SM (WEIGHTS_INT4 && GROUP == 128 ? 2 : 1)

struct Staged {
  s8 digits[2][TOKENS][STRIDE];
};

// Thread t moves 16 bytes of each digit plane: token t / 8, inputs 16 * (t % 8)...
template <int K>
struct Mover {
  uint4 part[2];

  DEVICE void fetch(const s8* digits, int token, int stage) {
    int k = stage * STAGE_K + threadIdx.x % 8 * 16;
    const s8* from = digits + (size_t)(token + threadIdx.x / 8) * Digits<K>::PADDED + k;
#pragma unroll
    for (int d = 0; d < 2; ++d)
      part[d] = k < Digits<K>::PADDED
                    ? *(const uint4*)(from + (size_t)d * ROWS * Digits<K>::PADDED)
                    : make_uint4(0, 0, 0, 0);
  }

  DEVICE void put(Staged& to) const {
#pragma unroll
    for (int d = 0; d < 2; ++d)
      *(uint4*)&to.digits[d][threadIdx.x / 8][threadIdx.x % 8 * 16] = part[d];
  }
};

// One warp's tile: 16 outputs by TOKENS tokens. c[n][i] of lane l is output l/4 (i < 2) or
// l/4 + 8 of token 8n + 2*(l%4) + i%2.
template <int K, bool W4>
struct Tile {
  using L = Linear<K, W4>;
  static constexpr int N = TOKENS / 8;
  static constexpr int STAGE_UNITS = STAGE_K / L::UNIT;
  float sum[N][4], total[N][4];
  uint4 units[STAGE_UNITS];

  DEVICE void clear() {
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[n][i] = total[n][i] = 0.0f;
  }

  DEVICE void load(const uint4* weights, int tile, int stage) {
#pragma unroll
    for (int u = 0; u < STAGE_UNITS; ++u) {
      int unit = stage * STAGE_UNITS + u;
      if (unit < L::UNITS) units[u] = weights[((size_t)tile * L::UNITS + unit) * 32 + threadIdx.x % 32];
    }
  }

  DEVICE void integer_group(const Staged& x, const uint4 (&w)[STAGE_UNITS], int g, u32 scale,
                            const float* scales, const int* sums) {
    int lane = threadIdx.x % 32;
    float low = low_scale(scale), high = high_scale(scale);
#pragma unroll
    for (int n = 0; n < N; ++n) {
      int2 zero = *(const int2*)(sums + 8 * n + lane % 4 * 2);
      int hi[4] = {0, 0, 0, 0};
      int lo[4] = {-8 * zero.x, -8 * zero.y, -128 * zero.x, -128 * zero.y};
#pragma unroll
      for (int s = 0; s < GROUP / 32; ++s) {
        int step = g * (GROUP / 32) + s;
        u32 a[4], b[4];
        unpack_step(a, step % 2 ? w[step / 2].z : w[step / 2].x,
                    step % 2 ? w[step / 2].w : w[step / 2].y);
        load_matrices(b, &x.digits[lane / 16][8 * n + lane % 8][step * 32 + lane / 8 % 2 * 16]);
        mma_u8s8(hi, a, b[0], b[1]);
        mma_u8s8(lo, a, b[2], b[3]);
      }
      float2 scaled = *(const float2*)(scales + 8 * n + lane % 4 * 2);
      sum[n][0] = __fmaf_rn((float)(hi[0] * 256 + lo[0]), low * scaled.x, sum[n][0]);
      sum[n][1] = __fmaf_rn((float)(hi[1] * 256 + lo[1]), low * scaled.y, sum[n][1]);
      sum[n][2] = __fmaf_rn((float)(hi[2] * 256 + lo[2]), high * scaled.x, sum[n][2]);
      sum[n][3] = __fmaf_rn((float)(hi[3] * 256 + lo[3]), high * scaled.y, sum[n][3]);
    }
  }

  DEVICE void half_group(const Staged& x, const uint4 (&w)[STAGE_UNITS], int g,
                         const float* scales) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      float hi[4] = {0, 0, 0, 0}, lo[4] = {0, 0, 0, 0};
#pragma unroll
      for (int s = 0; s < GROUP / 16; ++s) {
        int step = g * (GROUP / 16) + s;
        u32 a[4] = {w[step].x, w[step].y, w[step].z, w[step].w};
        const s8* h = &x.digits[0][8 * n + lane / 4][step * 16 + lane % 4 * 2];
        const s8* l = &x.digits[1][8 * n + lane / 4][step * 16 + lane % 4 * 2];
        mma_f16(hi, a, bytes_to_halves(*(const u16*)h), bytes_to_halves(*(const u16*)(h + 8)));
        mma_f16(lo, a, bytes_to_halves(*(const u16*)l), bytes_to_halves(*(const u16*)(l + 8)));
      }
      float2 scaled = *(const float2*)(scales + 8 * n + lane % 4 * 2);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sum[n][i] = __fmaf_rn(__fmaf_rn(hi[i], 256.0f, lo[i]), i % 2 ? scaled.y : scaled.x, sum[n][i]);
    }
  }

  DEVICE void close_span() {
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        total[n][i] = total[n][i] + sum[n][i];
        sum[n][i] = 0.0f;
      }
  }
};

template <int K, bool W4, class Done>
DEVICE void prefill_linear(const uint4* weights, const u32* all_scales, u32 tiles,
                           const s8* digits, const float* scales, const int* sums, u32 count,
                           Done done) {
  using L = Linear<K, W4>;
  constexpr int STAGES = (Digits<K>::PADDED + STAGE_K - 1) / STAGE_K;
  __shared__ __align__(16) Staged staged[2];
  int lane = threadIdx.x % 32, token = blockIdx.y * TOKENS;
  u32 tile = blockIdx.x * TILES + threadIdx.x / 32;
  bool live = tile < tiles;
  Mover<K> mover;
  Tile<K, W4> mine;
  mine.clear();
  if (live) mine.load(weights, tile, 0);
  wait_for_previous();
  mover.fetch(digits, token, 0);
  for (int stage = 0; stage < STAGES; ++stage) {
    mover.put(staged[stage & 1]);
    __syncthreads();
    uint4 w[Tile<K, W4>::STAGE_UNITS];
#pragma unroll
    for (int u = 0; u < Tile<K, W4>::STAGE_UNITS; ++u) w[u] = mine.units[u];
    if (stage + 1 < STAGES) {
      mover.fetch(digits, token, stage + 1);
      if (live) mine.load(weights, tile, stage + 1);
    }
    if (!live) continue;
#pragma unroll
    for (int g = 0; g < STAGE_K / GROUP; ++g) {
      int group = stage * (STAGE_K / GROUP) + g;
      if (group >= Digits<K>::GROUPS) break;
      const float* s = scales + (size_t)group * ROWS + token;
      if (W4)
        mine.integer_group(staged[stage & 1], w, g,
                           all_scales[((size_t)tile * Digits<K>::GROUPS + group) * 8 + lane / 4], s,
                           sums + (size_t)group * ROWS + token);
      else
        mine.half_group(staged[stage & 1], w, g, s);
      if ((group + 1) % (L::SPAN * L::GROUPS_A_BLOCK) == 0 || group + 1 == Digits<K>::GROUPS)
        mine.close_span();
    }
  }
  if (!live) return;
#pragma unroll
  for (int n = 0; n < TOKENS / 8; ++n)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      u32 t = token + 8 * n + lane % 4 * 2 + i;
      if (t < count) done(t, tile, lane / 4, mine.total[n][i], mine.total[n][i + 2]);
    }
}

#define PREFILL_ARGUMENTS                                                                    \
  const uint4 *weights, const u32 *scales, u32 rows, const s8 *digits, const float *x_scales, \
      const int *x_sums, u32 count, float *out

template <int K>
DEVICE void prefill_plain(PREFILL_ARGUMENTS) {
  prefill_linear<K, WEIGHTS_INT4>(weights, scales, (rows + 15) / 16, digits, x_scales, x_sums,
                                  count, [=](u32 t, u32 tile, u32 r, float low, float high) {
                                    float* to = out + (size_t)t * rows;
                                    u32 row = tile * 16 + r;
                                    if (row < rows) to[row] = low;
                                    if (row + 8 < rows) to[row + 8] = high;
                                  });
}

ENTRY void __launch_bounds__(32 * TILES, BLOCKS_A_SM) rows_linear(PREFILL_ARGUMENTS) {
  prefill_plain<HIDDEN>(weights, scales, rows, digits, x_scales, x_sums, count, out);
}

ENTRY void __launch_bounds__(32 * TILES, BLOCKS_A_SM) heads_rows(PREFILL_ARGUMENTS) {
  prefill_plain<Q_WIDTH>(weights, scales, rows, digits, x_scales, x_sums, count, out);
}

ENTRY void __launch_bounds__(32 * TILES, BLOCKS_A_SM) inner_rows(PREFILL_ARGUMENTS) {
  prefill_plain<FFN>(weights, scales, rows, digits, x_scales, x_sums, count, out);
}

#if INJECTION == LINEAR
ENTRY void __launch_bounds__(32 * TILES, BLOCKS_A_SM) adapter_rows(PREFILL_ARGUMENTS) {
  prefill_plain<2 * HIDDEN>(weights, scales, rows, digits, x_scales, x_sums, count, out);
}
#endif

// Gate and up rows alternate by eights: a lane has both of its channel.
ENTRY void __launch_bounds__(32 * TILES, BLOCKS_A_SM) swiglu_rows(PREFILL_ARGUMENTS) {
  prefill_linear<HIDDEN, WEIGHTS_INT4>(weights, scales, rows / 16, digits, x_scales, x_sums, count,
                                       [=](u32 t, u32 tile, u32 r, float gate, float up) {
                                         u32 at = tile * 8 + r;
                                         if (at < FFN) out[(size_t)t * FFN + at] = swiglu(gate, up);
                                       });
}
