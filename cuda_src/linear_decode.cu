// Linear layers of one row (a decoded token), with what stands before and behind them fused in.
//
// Phases: start the weights on their way into shared memory and load the norms (they depend on
//   nothing, so this runs while the kernel before ends) · wait for that kernel · make the row: the residual stage with its norm, attention's chunks merged, or a
//   vector as it is · quantise it into shared memory · sixteen warps = sixteen spans of K, each
//   walks the block's 16-row tiles · partial sums in span order · epilogue: store, SwiGLU, or logits with arg-max.
// Layout: linear.cuh; even columns of the eight are the digit hi, odd ones lo, and only columns 0
//   and 1 are read. Digits lie as the b operand wants them: inputs 4q.. and 16 + 4q.. of each 32
//   side by side (INT4), 2q.. and 8 + 2q.. of each 16 (FP16). Gate and up rows alternate by
//   eights in one matrix, so SwiGLU needs no exchange.
// Invariants: every block computes the same row from the same inputs (only block 0 keeps it, in
//   another buffer); sums as in linear.cuh, so the bits are those of linear_prefill.cu. After
//   ``done`` the sums still run, on whatever stands there, but nothing of the cache is written:
//   looking first would put a memory access before every other one.
// Measured: cuda_src/README.md, "Decode".

#define STEP 3  // tiles side by side, and between two block barriers

template <int K>
struct Activations {
  s8 digits[2][Digits<K>::PADDED];
  float scales[Digits<K>::GROUPS];
  int sums[Digits<K>::GROUPS];

  // Where four digits from input ``k`` (a multiple of 4) belong.
  DEVICE static int place(int k) {
    return WEIGHTS_INT4 ? k / 32 * 32 + k % 16 / 4 * 8 + k % 32 / 16 * 4 : k;
  }

  // Takes ``count`` inputs behind ``offset`` others; zeros beyond the row's K.
  template <int R>
  DEVICE void take(const Row<R>& row, int offset, int count) {
#pragma unroll
    for (int j = 0; j < Row<R>::STEPS; ++j) {
      int at = offset + Row<R>::at(j);
      quantise4(row.v[j], digits[0] + place(at), digits[1] + place(at), scales + at / GROUP,
                sums + at / GROUP, Row<R>::at(j) < count);
    }
  }
};

// One warp's part of a linear: its span of every tile the block has. A slot of shared memory
// holds a batch of the span's blocks; each lane finds there what it copied itself: 16 bytes a
// unit and, in lanes 4r, the scales of rows r and r + 8 (the lanes that keep results).
template <int K, bool W4>
struct Stream {
  using L = Linear<K, W4>;
  static constexpr int FACTORS = W4 ? L::GROUPS_A_BLOCK * 32 : 0;  // bytes of scales in a block
  static constexpr int BLOCK_BYTES = L::BLOCK_UNITS * 512 + FACTORS;
  static constexpr int FIT = STREAM_BYTES / (K_SPANS * BLOCK_BYTES);
  static constexpr int BATCH = FIT < 1 ? 1 : FIT < L::SPAN ? FIT : L::SPAN;  // blocks
  static constexpr int BATCHES = (L::SPAN + BATCH - 1) / BATCH;              // of a tile
  static constexpr int FITTING = FIT / BATCH < 1 ? 1 : FIT / BATCH;
  static constexpr int SLOTS = FITTING < 2 * STEP ? FITTING : 2 * STEP;
  static constexpr int SLOT_BYTES = BATCH * BLOCK_BYTES;
  static constexpr bool ALL_FULL = L::SPAN * K_SPANS == L::D::BLOCKS && BATCH == L::SPAN;
  static_assert(SLOTS * SLOT_BYTES * K_SPANS <= STREAM_BYTES, "the stream does not fit");
  const uint4* units;  // of this lane, in the block's first tile
  const u32* factors;  // likewise
  u8* buffer;          // this warp's slots
  size_t unit_stride, factor_stride;  // from one of the block's tiles to the next
  int lane, blocks;                   // blocks of K this warp has, at most SPAN

  DEVICE Stream(const uint4* weights, const u32* scales, u8* shared) {
    int warp = threadIdx.x / 32, first = warp * L::SPAN;
    lane = threadIdx.x % 32;
    blocks = L::D::BLOCKS - first < L::SPAN ? L::D::BLOCKS - first : L::SPAN;
    units = weights + ((size_t)blockIdx.x * L::UNITS + first * L::BLOCK_UNITS) * 32 + lane;
    factors = scales + ((size_t)blockIdx.x * L::D::GROUPS + first * L::GROUPS_A_BLOCK) * 8 + lane / 4;
    buffer = shared + warp * (SLOTS * SLOT_BYTES) + lane * 16;
    unit_stride = (size_t)gridDim.x * L::UNITS * 32;
    factor_stride = (size_t)gridDim.x * L::D::GROUPS * 8;
  }

  DEVICE bool has(int batch, int i) const {
    return ALL_FULL || (i + batch * BATCH < L::SPAN && i + batch * BATCH < blocks);
  }

  // The scales of group ``g`` for this lane's rows, in the block at ``here``.
  DEVICE u32* factor_of(u8* here, int g) const {
    return (u32*)(here - lane * 16 + L::BLOCK_UNITS * 512) + g * 8 + lane / 4;
  }

  // Starts batch ``batch`` of the block's tile number ``tile`` on its way into ``slot``.
  DEVICE void load(int slot, int tile, int batch) const {
    const uint4* from = units + tile * unit_stride;
    const u32* scales = factors + tile * factor_stride;
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (has(batch, i)) {
        u8* to = buffer + slot * SLOT_BYTES + i * BLOCK_BYTES;
        int at = batch * BATCH + i;
#pragma unroll
        for (int u = 0; u < L::BLOCK_UNITS; ++u)
          copy_async(to + u * 512, from + (at * L::BLOCK_UNITS + u) * 32);
        if (W4 && lane % 4 == 0) {
#pragma unroll
          for (int g = 0; g < L::GROUPS_A_BLOCK; ++g)
            copy_async_word(factor_of(to, g), scales + (at * L::GROUPS_A_BLOCK + g) * 8);
        }
      }
  }

  // sums += rows lane/4 and lane/4 + 8 of a slot, meaningful in lanes 4r.
  DEVICE void multiply(const Activations<K>& x, int slot, int batch, float (&sums)[2]) const {
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (has(batch, i)) {
        u8* here = buffer + slot * SLOT_BYTES + i * BLOCK_BYTES;
#pragma unroll
        for (int g = 0; g < L::GROUPS_A_BLOCK; ++g) {
          int group = (threadIdx.x / 32 * L::SPAN + batch * BATCH + i) * L::GROUPS_A_BLOCK + g;
          if (W4)
            integer_group(x, group, (const uint4*)here, g,
                          lane % 4 == 0 ? *factor_of(here, g) : 0, sums);
          else
            half_group(x, group, (const uint4*)here, g, sums);
        }
      }
  }

  DEVICE void integer_group(const Activations<K>& x, int group, const uint4* w, int g, u32 factor,
                            float (&sums)[2]) const {
    const s8* digits = x.digits[lane / 4 & 1] + group * GROUP + lane % 4 * 8;
    int c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < GROUP / 32; ++s) {
      int step = g * (GROUP / 32) + s;  // of 32 inputs, within the block
      uint4 v = w[step / 2 * 32];
      u32 a[4];
      unpack_step(a, step % 2 ? v.z : v.x, step % 2 ? v.w : v.y);
      uint2 b = *(const uint2*)(digits + s * 32);
      mma_u8s8(c, a, b.x, b.y);
    }
    float scaled = x.scales[group];
    int sum = x.sums[group];
    sums[0] = __fmaf_rn((float)(c[0] * 256 + c[1] - 8 * sum), low_scale(factor) * scaled, sums[0]);
    sums[1] = __fmaf_rn((float)(c[2] * 256 + c[3] - 128 * sum), high_scale(factor) * scaled, sums[1]);
  }

  DEVICE void half_group(const Activations<K>& x, int group, const uint4* w, int g,
                         float (&sums)[2]) const {
    const s8* digits = x.digits[lane / 4 & 1] + group * GROUP + lane % 4 * 2;
    float c[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < GROUP / 16; ++s) {
      uint4 v = w[(g * (GROUP / 16) + s) * 32];
      u32 a[4] = {v.x, v.y, v.z, v.w};
      const s8* b = digits + s * 16;
      mma_f16(c, a, bytes_to_halves(*(const u16*)b), bytes_to_halves(*(const u16*)(b + 8)));
    }
    float scaled = x.scales[group];
    sums[0] = __fmaf_rn(__fmaf_rn(c[0], 256.0f, c[1]), scaled, sums[0]);
    sums[1] = __fmaf_rn(__fmaf_rn(c[2], 256.0f, c[3]), scaled, sums[1]);
  }
};

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

// A block's tiles are blockIdx.x, + gridDim.x, …; ``fill()`` makes the activations, ``done(row,
// value)`` takes a result; the 16 rows of a tile come in 16 neighbouring lanes. STEP tiles run
// side by side where whole ones are in slots: their chains of products hide each other.
template <int K, class Fill, class Done>
DEVICE void decode_linear(const uint4* weights, const u32* scales, int tiles,
                          const Activations<K>& x, Fill fill, Done done) {
  using S = Stream<K, WEIGHTS_INT4>;
  extern __shared__ __align__(16) u8 shared[];
  __shared__ Partials partials;
  S stream(weights, scales, shared);
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
#pragma unroll
      for (int t = 0; t < STEP; ++t) {
        float sums[2] = {0, 0};
        stream.multiply(x, slot + t, 0, sums);
        partials.put(set, t, sums);
      }
#pragma unroll
      for (int t = 0; t < STEP; ++t) load(slot + t, start + S::SLOTS + t);
      slot = STEP - slot;
    } else {
      for (int t = 0; t < count; ++t) {
        float sums[2] = {0, 0};
        for (int batch = 0; batch < S::BATCHES; ++batch) {
          wait_copies<S::SLOTS - 1>();
          stream.multiply(x, slot, batch, sums);
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
      const float *post, const float *norm, u32 flags, const uint4 *weights, const u32 *scales, \
      u32 rows
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
      weights, scales, (rows + 15) / 16, input, [&] { fill_from_stage(input, stage); },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}

// out[i] = silu(gate_i) * up_i; ``rows`` = 2 * FFN rounded up to whole tiles.
ENTRY void BOUNDS row_swiglu(STAGE_ARGUMENTS, float* out) {
  __shared__ Activations<HIDDEN> input;
  Stage stage = {live, vectors, x, x_out, branch, post, norm, flags, AT_LIVE};
  decode_linear(
      weights, scales, rows / 16, input, [&] { fill_from_stage(input, stage); },
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
      weights, scales, (rows + 15) / 16, input,
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
      weights, scales, (rows + 15) / 16, input,
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

template <int K>
DEVICE void vector_linear(const float* vector, const uint4* weights, const u32* scales, u32 rows,
                          float* out) {
  __shared__ Activations<K> input;
  decode_linear(
      weights, scales, (rows + 15) / 16, input,
      [&] {
        wait_for_previous();
        Row<K> row;
        row.load(vector);
        input.take(row, 0, Digits<K>::PADDED);
      },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}

// out = O * (attention's heads).
ENTRY void BOUNDS heads_linear(const float* heads, const uint4* weights, const u32* scales,
                               u32 rows, float* out) {
  vector_linear<Q_WIDTH>(heads, weights, scales, rows, out);
}

// out = down * (SwiGLU's inner row).
ENTRY void BOUNDS inner_linear(const float* inner, const uint4* weights, const u32* scales,
                               u32 rows, float* out) {
  vector_linear<FFN>(inner, weights, scales, rows, out);
}

#if HEAD_DIM % 4 == 0
// Four neighbouring channels of a head, its chunks merged.
DEVICE float4 merge_channels(const float* partial, u32 chunks, int channel) {
  float top = -infinity(), sum = 0.0f;
  float4 out = make_float4(0, 0, 0, 0);
#pragma unroll 4
  for (u32 c = 0; c < chunks; ++c) {
    const float* p = partial + (size_t)c * PARTIAL;
    float4 next = *(const float4*)(p + 4 + channel);
    float old, fresh;
    merge_chunk(top, sum, p[0], p[1], old, fresh);
    out.x = merge_out(out.x, next.x, old, fresh);
    out.y = merge_out(out.y, next.y, old, fresh);
    out.z = merge_out(out.z, next.z, old, fresh);
    out.w = merge_out(out.w, next.w, old, fresh);
  }
  return make_float4(out.x / sum, out.y / sum, out.z / sum, out.w / sum);
}

// out = O * (attention's chunks, merged here): for few chunks, where it saves a fence.
ENTRY void BOUNDS chunks_linear(const Live* live, const float* partials, u32 max_chunks,
                                const uint4* weights, const u32* scales, u32 rows, float* out) {
  __shared__ Activations<Q_WIDTH> input;
  decode_linear(
      weights, scales, (rows + 15) / 16, input,
      [&] {
        wait_for_previous();
        ChunkRange range(live->position, live->window);
        Row<Q_WIDTH> row;
#pragma unroll
        for (int j = 0; j < Row<Q_WIDTH>::STEPS; ++j) {
          int at = Row<Q_WIDTH>::at(j);
          const float* head = partials + (size_t)(at / HEAD_DIM) * max_chunks * PARTIAL;
          row.v[j] = at < Q_WIDTH ? merge_channels(head, range.count, at % HEAD_DIM)
                                  : make_float4(0, 0, 0, 0);
        }
        input.take(row, 0, Digits<Q_WIDTH>::PADDED);
      },
      [&](int row, float value) {
        if (row < rows) out[row] = value;
      });
}
#endif
