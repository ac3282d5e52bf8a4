// Linear layers of one row (a decoded token), with what stands before and behind them fused in.
//
// Phases: start the weights on their way into shared memory and load the norms (they depend on
//   nothing, so this runs while the kernel before ends) · wait for that kernel · make the row:
//   the residual stage with its norm, or a vector as it is · quantise it into shared memory ·
//   sixteen warps = sixteen spans of K, each walks the block's 16-row tiles · partial sums in
//   span order · epilogue: store, add to the residual, SwiGLU, or logits with arg-max.
// Layout: linear.cuh and stream.cuh; even columns of the eight are the digit hi, odd ones lo, and
//   only columns 0 and 1 are read. Digits lie as the b operand wants them: inputs 4q.. and
//   16 + 4q.. of each 32 side by side (INT4), 2q.. and 8 + 2q.. of each 16 (FP16). Gate and up
//   rows alternate by eights in one matrix, so SwiGLU needs no exchange.
// Invariants: every block computes the same row from the same inputs (only block 0 keeps it, in
//   another buffer); sums as in linear.cuh, so the bits are those of linear_prefill.cu. After
//   ``done`` the sums still run, on whatever stands there, but nothing of the cache is written:
//   looking first would put a memory access before every other one.
// Measured: cuda_src/README.md, "Decode".

// Partial sums of STEP tiles, by span; two sets, so that one barrier a step is enough.
struct Partials {
  float sums[2][STEP][K_SPANS][16];

  DEVICE void put(int set, int t, const float (&value)[2]) {
    int lane = threadIdx.x % 32;
    if (lane % 4 == 0) {
      sums[set][t][threadIdx.x / 32][lane / 4] = value[0];
      sums[set][t][threadIdx.x / 32][lane / 4 + 8] = value[1];
    }
  }

  DEVICE float total(int set) const {
    float value = 0.0f;
#pragma unroll
    for (int w = 0; w < K_SPANS; ++w)
      value = value + sums[set][threadIdx.x / 16][w][threadIdx.x % 16];
    return value;
  }
};

// A packed matrix; ``rows`` are its outputs.
struct Packed {
  const uint4* weights;
  const u32* scales;
  u32 rows;
};

#define PACKED_ARGUMENTS const uint4 *weights, const u32 *scales, u32 rows
#define PACKED Packed{weights, scales, rows}

// The first row whose result this thread takes (of the first 16 * STEP threads), and the one after.
DEVICE u32 first_row() {
  return (blockIdx.x + threadIdx.x / 16 * gridDim.x) * 16 + threadIdx.x % 16;
}
DEVICE u32 row_after(u32 row) { return row + STEP * 16 * gridDim.x; }

// A block's tiles are blockIdx.x, + gridDim.x, …; ``fill()`` makes the activations, ``done(row,
// value)`` takes a result; the 16 rows of a tile come in 16 neighbouring lanes. STEP tiles run
// side by side where whole ones are in slots: their chains of products hide each other.
template <int K, class Fill, class Done>
DEVICE void decode_linear(const Packed& packed, const Activations<K>& x, Fill fill, Done done) {
  using S = Stream<K, WEIGHTS_INT4>;
  extern __shared__ __align__(16) u8 shared[];
  __shared__ Partials partials;
  S stream(packed.weights, packed.scales, shared);
  int tiles = (packed.rows + 15) / 16;
  int mine = (tiles - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
  auto load = [&](int slot, int index) {
    if (index < mine * S::BATCHES) stream.load(slot, index / S::BATCHES, index % S::BATCHES);
    end_copy_group();
  };
#pragma unroll
  for (int d = 0; d < S::SLOTS; ++d) load(d, d);
  let_next_start();
  fill();
  __syncthreads();
  int slot = 0, set = 0;
  for (int start = 0; start < mine; start += STEP, set ^= 1) {
    int count = mine - start < STEP ? mine - start : STEP;
    if (S::BATCHES == 1 && S::SLOTS == 2 * STEP && count == STEP) {
      wait_copies<STEP>();
      float sums[STEP][2] = {};
#pragma unroll
      for (int t = 0; t < STEP; ++t) stream.multiply(x, slot + t, start + t, 0, sums[t]);
#pragma unroll
      for (int t = 0; t < STEP; ++t) partials.put(set, t, sums[t]);
#pragma unroll
      for (int t = 0; t < STEP; ++t) load(slot + t, start + S::SLOTS + t);
      slot = STEP - slot;
    } else {
      for (int t = 0; t < count; ++t) {
        float sums[2] = {0, 0};
        for (int batch = 0; batch < S::BATCHES; ++batch) {
          wait_copies<S::SLOTS - 1>();
          stream.multiply(x, slot, start + t, batch, sums);
          load(slot, (start + t) * S::BATCHES + batch + S::SLOTS);
          slot = slot + 1 < S::SLOTS ? slot + 1 : 0;
        }
        partials.put(set, t, sums);
      }
    }
    __syncthreads();
    int t = threadIdx.x / 16;
    if (t < count)
      done((blockIdx.x + (start + t) * gridDim.x) * 16 + threadIdx.x % 16, partials.total(set));
  }
}

#define STAGE_ARGUMENTS                                                                        \
  Live *live, const Vectors *vectors, const float *x, float *x_out, const float *branch,       \
      const float *post, const float *norm, u32 flags, PACKED_ARGUMENTS
#define BOUNDS __launch_bounds__(THREADS, 2)  // two kernels share a multiprocessor

// Waits for the previous kernel and fills the activations from a residual stage.
DEVICE void fill_from_stage(Activations<HIDDEN>& out, const Stage& stage) {
  __shared__ float scratch[WARPS];
  StageNorms norms(stage);
  wait_for_previous();
  Row<HIDDEN> e;
  out.take(advance_row(stage, norms, 0, blockIdx.x == 0, scratch, e), 0, Digits<HIDDEN>::PADDED);
}

// out[row] = W * stage(x).
ENTRY void BOUNDS row_linear(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear(
      PACKED, input, [&] { fill_from_stage(input, stage); },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}

// out[i] = silu(gate_i) * up_i; ``rows`` = 2 * FFN rounded up to whole tiles.
ENTRY void BOUNDS row_swiglu(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear(
      PACKED, input, [&] { fill_from_stage(input, stage); },
      [&](int row, float value) {
        float up = __shfl_down_sync(0xffffu << (threadIdx.x & 16), value, 8);
        int at = row / 16 * 8 + row % 16;
        if (row % 16 < 8 && at < FFN) out[at] = swiglu(value, up);
      });
}

// logits[row] = W * stage(x), and the arg-max over ids that may be sampled into live->best. The
// host's stop flag is read here, where its long way does not matter.
ENTRY void BOUNDS row_head(STAGE_ARGUMENTS, float* logits, const u8* banned, u32 first) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, first};
  u64 best = 0;
  decode_linear(
      PACKED, input,
      [&] {
        fill_from_stage(input, stage);
        if (blockIdx.x == 0 && threadIdx.x == 0) live->stopped = read_host_word(live->stop);
      },
      [&](int row, float value) {
        if (row >= rows) return;
        logits[row] = value;
        u64 key = (u64)ordered(value) << 32 | (u32)~row;
        if (!banned[row] && key > best) best = key;
      });
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    u64 other = __shfl_xor_sync(0xffffffffu, best, d);
    best = other > best ? other : best;
  }
  if (threadIdx.x % 32 == 0 && best) atomicMax(&live->best, best);
}

#if INJECTION == LINEAR
// out = A * [state; injected] after a stage with INJECT.
ENTRY void BOUNDS row_adapter(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<2 * HIDDEN> input;
  __shared__ float scratch[WARPS];
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear(
      PACKED, input,
      [&] {
        StageNorms norms(stage);
        wait_for_previous();
        Row<HIDDEN> e;
        input.take(advance_row(stage, norms, 0, blockIdx.x == 0, scratch, e), 0, HIDDEN);
        input.take(e, HIDDEN, Digits<2 * HIDDEN>::PADDED - HIDDEN);
      },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}
#endif

// out = W * vector, or out += W * vector: where the norm style adds a branch as it is, the residual
// takes it here, and not every block of the linear that follows has to read both.
template <int K>
DEVICE void vector_linear(const float* vector, const Packed& packed, float* out, u32 adds) {
  __shared__ Activations<K> input;
  u32 next = first_row();
  float old = 0.0f;  // of this thread's next row: read a step ahead
  decode_linear(
      packed, input,
      [&] {
        wait_for_previous();
        if (adds && threadIdx.x < 16 * STEP && next < packed.rows) old = out[next];
        Row<K> row;
        row.load(vector);
        input.take(row, 0, Digits<K>::PADDED);
      },
      [&](int row, float value) {
        if (row >= packed.rows) return;
        out[row] = adds ? old + value : value;
        next = row_after(row);
        if (adds && next < packed.rows) old = out[next];
      });
}

// out = O * (attention's heads).
ENTRY void BOUNDS heads_linear(const float* heads, PACKED_ARGUMENTS, float* out, u32 adds) {
  vector_linear<Q_WIDTH>(heads, PACKED, out, adds);
}

// out = down * (SwiGLU's inner row).
ENTRY void BOUNDS inner_linear(const float* inner, PACKED_ARGUMENTS, float* out, u32 adds) {
  vector_linear<FFN>(inner, PACKED, out, adds);
}
