// One row's activations in shared memory, and how a warp streams its share of a packed matrix
// past them (linear_decode.cu). Everything here is for one token; the sums keep linear.cuh's order.

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
    quantise(row, count, [&](int from, const Quantised& x) {
      int at = offset + from;
      x.store(digits[0] + place(at), digits[1] + place(at), scales + at / GROUP, sums + at / GROUP);
    });
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
  static constexpr bool STAGED = FIT > 0;  // else the units are read where they are
  static constexpr int BATCH = FIT < 1 ? 1 : FIT < L::SPAN ? FIT : L::SPAN;  // blocks
  static constexpr int BATCHES = (L::SPAN + BATCH - 1) / BATCH;              // of a tile
  static constexpr int FITTING = FIT / BATCH < 1 ? 1 : FIT / BATCH;
  static constexpr int SLOTS = FITTING < 2 * STEP ? FITTING : 2 * STEP;
  static constexpr int SLOT_BYTES = BATCH * BLOCK_BYTES;
  static constexpr bool ALL_FULL = L::SPAN * K_SPANS == L::D::BLOCKS && BATCH == L::SPAN;
  static_assert(STAGED || !W4, "the stream does not fit");
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
    if (!STAGED) return;
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

  // sums += rows lane/4 and lane/4 + 8 of batch ``batch`` of a tile, which lies in ``slot``;
  // meaningful in lanes 4r. A whole span has no branch between its blocks, so that their chains
  // of products hide each other.
  DEVICE void multiply(const Activations<K>& x, int slot, int tile, int batch,
                       float (&sums)[2]) const {
    if (BATCH == L::SPAN && (ALL_FULL || blocks == L::SPAN)) {
#pragma unroll
      for (int i = 0; i < BATCH; ++i) multiply_block(x, slot, tile, 0, i, sums);
      return;
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
      if (has(batch, i)) multiply_block(x, slot, tile, batch, i, sums);
  }

  DEVICE void multiply_block(const Activations<K>& x, int slot, int tile, int batch, int i,
                             float (&sums)[2]) const {
    u8* here = buffer + slot * SLOT_BYTES + i * BLOCK_BYTES;
#pragma unroll
    for (int g = 0; g < L::GROUPS_A_BLOCK; ++g) {
      int group = (threadIdx.x / 32 * L::SPAN + batch * BATCH + i) * L::GROUPS_A_BLOCK + g;
      if (W4)
        integer_group(x, group, (const uint4*)here, g, lane % 4 == 0 ? *factor_of(here, g) : 0,
                      sums);
      else
        half_group(x, group,
                   STAGED ? (const uint4*)here
                          : units + tile * unit_stride + (batch * BATCH + i) * L::BLOCK_UNITS * 32,
                   g, sums);
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
