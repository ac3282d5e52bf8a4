// Linear layers of one row (a decoded token), with what stands before and behind them fused in.
//
// Phases: load the first weights (they depend on nothing) · wait for the previous kernel ·
//   make the row: the residual stage with its norm, or a vector as it is · quantise it into
//   shared memory · eight warps = eight spans of K, each walks its 16-row tiles · partial sums
//   in span order · epilogue: store, SwiGLU, or logits with arg-max.
// Layout: linear.cuh; columns 0 and 1 of the eight are the digits hi and lo, the rest zero.
//   Gate and up rows alternate by eights in one matrix, so SwiGLU needs no exchange.
// Invariants: every block computes the same row from the same inputs (only block 0 keeps it, in
//   another buffer); sums as in linear.cuh, so the bits are those of linear_prefill.cu. After
//   ``done`` the sums still run, on whatever stands there, but nothing of the cache is written:
//   looking first would put a memory access before every other one.
// Measured: cuda_src/README.md, "Decode".

template <int K>
struct Activations {
  s8 digits[2][Digits<K>::PADDED];
  float scales[Digits<K>::GROUPS];
  int sums[Digits<K>::GROUPS];
};

// One warp's share of one tile, a batch of blocks at a time held in registers.
template <int K, bool W4>
struct Span {
  using L = Linear<K, W4>;
  static constexpr int FIT = 16 / L::BLOCK_UNITS;
  static constexpr int BATCH = FIT < 1 ? 1 : (FIT < L::SPAN ? FIT : L::SPAN);
  static constexpr int BATCHES = (L::SPAN + BATCH - 1) / BATCH;
  uint4 units[BATCH * L::BLOCK_UNITS];
  u32 scales[BATCH * L::GROUPS_A_BLOCK];

  DEVICE static int block(int batch, int i) { return (threadIdx.x / 32) * L::SPAN + batch * BATCH + i; }

  DEVICE static bool mine(int batch, int i) {
    return batch * BATCH + i < L::SPAN && block(batch, i) < L::D::BLOCKS;
  }

  DEVICE void load(const uint4* weights, const u32* all_scales, int tile, int batch) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (!mine(batch, i)) continue;
      size_t unit = (size_t)tile * L::UNITS + block(batch, i) * L::BLOCK_UNITS;
#pragma unroll
      for (int u = 0; u < L::BLOCK_UNITS; ++u)
        units[i * L::BLOCK_UNITS + u] = load_weights(weights + (unit + u) * 32 + lane);
      if (W4) {
        size_t group = (size_t)tile * L::D::GROUPS + block(batch, i) * L::GROUPS_A_BLOCK;
#pragma unroll
        for (int g = 0; g < L::GROUPS_A_BLOCK; ++g)
          scales[i * L::GROUPS_A_BLOCK + g] = all_scales[(group + g) * 8 + lane / 4];
      }
    }
  }

  // sums[0], sums[1] += rows lane/4 and lane/4 + 8 (meant for lanes with lane % 4 == 0).
  DEVICE void multiply(const Activations<K>& x, int batch, float (&sums)[2]) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (!mine(batch, i)) continue;
#pragma unroll
      for (int g = 0; g < L::GROUPS_A_BLOCK; ++g) {
        int group = block(batch, i) * L::GROUPS_A_BLOCK + g;
        if (W4)
          integer_group(x, group, i * L::BLOCK_UNITS, g, scales[i * L::GROUPS_A_BLOCK + g], sums);
        else
          half_group(x, group, i * L::BLOCK_UNITS + g * (GROUP / 16), sums);
      }
    }
  }

  DEVICE void integer_group(const Activations<K>& x, int group, int unit, int g, u32 scale,
                            float (&sums)[2]) const {
    int lane = threadIdx.x % 32, column = lane / 4;
    int c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < GROUP / 32; ++s) {
      int step = g * (GROUP / 32) + s;  // of 32 inputs, within the block
      uint4 w = units[unit + step / 2];
      u32 a[4];
      unpack_step(a, step % 2 ? w.z : w.x, step % 2 ? w.w : w.y);
      const s8* digits = x.digits[column & 1] + group * GROUP + s * 32 + lane % 4 * 4;
      u32 b0 = column < 2 ? *(const u32*)digits : 0;
      u32 b1 = column < 2 ? *(const u32*)(digits + 16) : 0;
      mma_u8s8(c, a, b0, b1);
    }
    float scaled = x.scales[group];
    int sum = x.sums[group];
    sums[0] = __fmaf_rn((float)(c[0] * 256 + c[1] - 8 * sum), low_scale(scale) * scaled, sums[0]);
    sums[1] = __fmaf_rn((float)(c[2] * 256 + c[3] - 128 * sum), high_scale(scale) * scaled, sums[1]);
  }

  DEVICE void half_group(const Activations<K>& x, int group, int unit, float (&sums)[2]) const {
    int lane = threadIdx.x % 32, column = lane / 4;
    float c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < GROUP / 16; ++s) {
      uint4 w = units[unit + s];
      u32 a[4] = {w.x, w.y, w.z, w.w};
      const s8* digits = x.digits[column & 1] + group * GROUP + s * 16 + lane % 4 * 2;
      u32 b0 = column < 2 ? bytes_to_halves(*(const u16*)digits) : 0;
      u32 b1 = column < 2 ? bytes_to_halves(*(const u16*)(digits + 8)) : 0;
      mma_f16(c, a, b0, b1);
    }
    float scaled = x.scales[group];
    sums[0] = __fmaf_rn(__fmaf_rn(c[0], 256.0f, c[1]), scaled, sums[0]);
    sums[1] = __fmaf_rn(__fmaf_rn(c[2], 256.0f, c[3]), scaled, sums[1]);
  }
};

// ``ready()`` fills the activations; ``done(row, value)`` takes a result in threads 0..15.
template <int K, bool W4, class Ready, class Done>
DEVICE void decode_linear(const uint4* weights, const u32* scales, int tiles,
                          const Activations<K>& x, Ready ready, Done done) {
  __shared__ float partial[2][WARPS][16];
  Span<K, W4> span;
  int tile = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  span.load(weights, scales, tile, 0);
  let_next_start();
  wait_for_previous();
  ready();
  __syncthreads();
  for (int turn = 0; tile < tiles; turn ^= 1) {
    float sums[2] = {0, 0};
#pragma unroll
    for (int batch = 0; batch < Span<K, W4>::BATCHES; ++batch) {
      if (batch > 0) span.load(weights, scales, tile, batch);
      span.multiply(x, batch, sums);
    }
    int now = tile;
    tile += gridDim.x;
    if (tile < tiles) span.load(weights, scales, tile, 0);
    if (lane % 4 == 0) {
      partial[turn][warp][lane / 4] = sums[0];
      partial[turn][warp][lane / 4 + 8] = sums[1];
    }
    __syncthreads();
    if (threadIdx.x < 16) {
      float total = 0.0f;
#pragma unroll
      for (int w = 0; w < WARPS; ++w) total = total + partial[turn][w][threadIdx.x];
      done(now * 16 + threadIdx.x, total);
    }
  }
}

#define STAGE_ARGUMENTS                                                                        \
  Live *live, const Vectors *vectors, const float *x, float *x_out, const float *branch,       \
      const float *post, const float *norm, u32 flags, const uint4 *weights, const u32 *scales, \
      u32 rows

DEVICE void fill_from_row(Activations<HIDDEN>& out, const Stage& stage) {
  __shared__ float scratch[WARPS];
  Row<HIDDEN> e;
  Row<HIDDEN> row = advance_row(stage, 0, blockIdx.x == 0, scratch, e);
  quantise_row(row, out.digits[0], out.digits[1], out.scales, out.sums, 1, 0,
               Digits<HIDDEN>::PADDED);
}

// out[row] = W * stage(x).
ENTRY void __launch_bounds__(THREADS, 2) row_linear(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear<HIDDEN, WEIGHTS_INT4>(
      weights, scales, (rows + 15) / 16, input,
      [&] { fill_from_row(input, stage); },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}

// out[i] = silu(gate_i) * up_i; ``rows`` = 2 * FFN rounded up to whole tiles.
ENTRY void __launch_bounds__(THREADS, 2) row_swiglu(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear<HIDDEN, WEIGHTS_INT4>(
      weights, scales, rows / 16, input,
      [&] { fill_from_row(input, stage); },
      [&](int row, float value) {
        float up = __shfl_down_sync(0xffffu, value, 8);
        int at = row / 16 * 8 + row % 16;
        if (row % 16 < 8 && at < FFN) out[at] = swiglu(value, up);
      });
}

// logits[row] = W * stage(x), and the arg-max over ids that may be sampled into live->best.
ENTRY void __launch_bounds__(THREADS, 2)
    row_head(STAGE_ARGUMENTS, float* logits, const u8* banned, u32 first) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, first};
  u64 best = 0;
  decode_linear<HIDDEN, WEIGHTS_INT4>(
      weights, scales, (rows + 15) / 16, input,
      [&] { fill_from_row(input, stage); },
      [&](int row, float value) {
        if (row >= rows) return;
        logits[row] = value;
        u64 key = (u64)ordered(value) << 32 | (u32)~row;
        if (!banned[row] && key > best) best = key;
      });
  if (threadIdx.x < 16) {
#pragma unroll
    for (int d = 8; d > 0; d >>= 1) {
      u64 other = __shfl_xor_sync(0xffffu, best, d);
      best = other > best ? other : best;
    }
    if (threadIdx.x == 0 && best) atomicMax(&live->best, best);
  }
}

#if INJECTION == LINEAR
// out = A * [state; injected] after a stage with INJECT.
ENTRY void __launch_bounds__(THREADS, 2) row_adapter(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<2 * HIDDEN> input;
  __shared__ float scratch[WARPS];
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear<2 * HIDDEN, WEIGHTS_INT4>(
      weights, scales, (rows + 15) / 16, input,
      [&] {
        Row<HIDDEN> e;
        Row<HIDDEN> s = advance_row(stage, 0, blockIdx.x == 0, scratch, e);
        quantise_row(s, input.digits[0], input.digits[1], input.scales, input.sums, 1, 0, HIDDEN);
        quantise_row(e, input.digits[0], input.digits[1], input.scales, input.sums, 1, HIDDEN,
                     Digits<2 * HIDDEN>::PADDED - HIDDEN);
      },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}
#endif

template <int K>
DEVICE void vector_linear(const float* vector, const uint4* weights,
                          const u32* scales, u32 rows, float* out) {
  __shared__ Activations<K> input;
  decode_linear<K, WEIGHTS_INT4>(
      weights, scales, (rows + 15) / 16, input,
      [&] {
        Row<K> row;
        row.load(vector);
        quantise_row(row, input.digits[0], input.digits[1], input.scales, input.sums, 1, 0,
                     Digits<K>::PADDED);
      },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}

// out = O * (attention's heads).
ENTRY void __launch_bounds__(THREADS, 2)
    heads_linear(const float* heads, const uint4* weights, const u32* scales, u32 rows,
                 float* out) {
  vector_linear<Q_WIDTH>(heads, weights, scales, rows, out);
}

// out = down * (SwiGLU's inner row).
ENTRY void __launch_bounds__(THREADS, 2)
    inner_linear(const float* inner, const uint4* weights, const u32* scales, u32 rows,
                 float* out) {
  vector_linear<FFN>(inner, weights, scales, rows, out);
}
