// What all kernels share: the live struct, fixed-order reductions and the two-digit activations.
// Shape constants (HIDDEN, GROUP, …) stand before this text; engine/backends/cuda/shapes.py
// writes them. Nothing here may depend on how many rows or positions there are: that is what
// makes a resumed answer equal a fresh one bit for bit.

#define THREADS 512  // of every kernel that works on rows; the norm's tree depends on it
#define WARPS 16
#define K_SPANS 16   // partial sums of a linear layer, in decode a warp each
#define CHUNK 64     // keys of one attention chunk, at absolute positions
#define AT_LIVE 0xffffffffu  // "first position" argument: take it from the live struct

// Everything that changes between launches of a captured graph. Mirrored by shapes.LIVE.
struct Live {
  u16* keys;        // [slots][ring][KV_HEADS][HEAD_DIM]
  u16* values;      // the same
  float* state;     // [capacity][HIDDEN]
  float* injected;  // [capacity][HIDDEN]
  float* exits;     // [capacity][HIDDEN]; equals state without post layers
  int* ids;         // [capacity]
  u64* mailbox;     // [MAILBOX] in pinned memory: (sequence + 1) << 32 | id
  u32* stop;        // pinned: nonzero asks the device to do no further token
  u64 best;         // greedy: ordered logit << 32 | ~id
  u64 seed;
  u32 capacity, ring, window;
  u32 position;     // of the token that is read next
  u32 token;        // that token
  u32 sequence;     // tokens published
  u32 done;         // 1: later tokens of the queue write nothing
  u32 stopped;      // what the head's kernel read in ``stop``
  u32 top_k;
  float temperature, top_p, penalty;
};

// A field of the live struct before ``wait_for_previous``: it is older than the graph of this token
// (the graph before or the host wrote it), but a first-level cache may hold the one before that.
DEVICE u32 early(const u32& field) { return __ldcg(&field); }
template <class T>
DEVICE T* early(T* const& field) {
  return (T*)__ldcg((const u64*)&field);
}

// Vectors that belong to no layer; null where the model has none. Mirrored by shapes.VECTORS.
struct Vectors {
  const float* entry_norm;
  const float* loop_norm;
  const float* final_norm;
  const float* state_scale;
  const float* input_scale;
  const void* embed;      // [VOCAB][HIDDEN], FP16 or FP32 (EMBED_F32)
  const float* start;     // [max_seq_len][HIDDEN] noise, with initial_state noise
};

DEVICE float infinity() { return __int_as_float(0x7f800000); }

DEVICE float warp_sum(float x) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) x = x + __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

// The sum of x over the block's THREADS threads, always in the same order.
DEVICE float block_sum(float x, float* scratch) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
  __syncthreads();
  x = scratch[threadIdx.x % WARPS];
#pragma unroll
  for (int d = WARPS / 2; d > 0; d >>= 1) x = x + __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

// A row of K floats as the block holds it: thread t has elements 4 * (t + THREADS * j).. +3.
template <int K>
struct Row {
  static constexpr int STEPS = (K + 4 * THREADS - 1) / (4 * THREADS);
  float4 v[STEPS];

  DEVICE static int at(int j) { return 4 * (threadIdx.x + THREADS * j); }

  DEVICE void load(const float* p) {
#pragma unroll
    for (int j = 0; j < STEPS; ++j)
      v[j] = at(j) < K ? *(const float4*)(p + at(j)) : make_float4(0, 0, 0, 0);
  }

  DEVICE void norm(const float* weight, float* scratch) {
    Row w;
    w.load(weight);
    norm(w, scratch);
  }

  DEVICE void store(float* p) const {
#pragma unroll
    for (int j = 0; j < STEPS; ++j)
      if (at(j) < K) *(float4*)(p + at(j)) = v[j];
  }

  // this = f(this, other), element by element.
  template <class F>
  DEVICE void combine(const Row& other, F f) {
#pragma unroll
    for (int j = 0; j < STEPS; ++j) {
      v[j].x = f(v[j].x, other.v[j].x);
      v[j].y = f(v[j].y, other.v[j].y);
      v[j].z = f(v[j].z, other.v[j].z);
      v[j].w = f(v[j].w, other.v[j].w);
    }
  }

  // this = this * scale * weight, the RMS norm.
  DEVICE void norm(const Row& weight, float* scratch) {
    float squares = 0.0f;
#pragma unroll
    for (int j = 0; j < STEPS; ++j) {
      squares = __fmaf_rn(v[j].x, v[j].x, squares);
      squares = __fmaf_rn(v[j].y, v[j].y, squares);
      squares = __fmaf_rn(v[j].z, v[j].z, squares);
      squares = __fmaf_rn(v[j].w, v[j].w, squares);
    }
    float mean = block_sum(squares, scratch) * (1.0f / K);
    float scale = rsqrtf(mean + NORM_EPS);
    combine(weight, [scale](float x, float g) { return (x * scale) * g; });
  }
};

// Two-digit activations: in each group of GROUP inputs x = scale * (256 * hi + lo), scale a power
// of two with |256 hi + lo| <= 32512, so that both digits fit a signed byte and scaling is exact.
// ``sums`` is the exact sum of the group's integers: it takes the weights' zero point out again.
template <int K>
struct Digits {
  static constexpr int BLOCK = GROUP > 64 ? GROUP : 64;  // whole groups and whole weight units
  static constexpr int BLOCKS = (K + BLOCK - 1) / BLOCK;
  static constexpr int PADDED = BLOCKS * BLOCK;
  static constexpr int GROUPS = PADDED / GROUP;
};

// The group's greatest bits (of floats >= 0) and the group's sum of integers, in all its lanes.
DEVICE void reduce_group(u32& top) {
#if ARCH >= 80 && GROUP == 128
  top = warp_max(top);
#else
#pragma unroll
  for (int d = 1; d < GROUP / 4; d <<= 1) {
    u32 other = __shfl_xor_sync(0xffffffffu, top, d);
    top = other > top ? other : top;
  }
#endif
}

DEVICE void reduce_group(int& total) {
#if ARCH >= 80 && GROUP == 128
  total = warp_add(total);
#else
#pragma unroll
  for (int d = 1; d < GROUP / 4; d <<= 1) total += __shfl_xor_sync(0xffffffffu, total, d);
#endif
}

// Four neighbours as integers; all 32 lanes of a warp call this together, GROUP / 4 lanes a group.
struct Quantised {
  u32 hi, lo;  // four digits each
  u32 exponent;
  int sum;     // of the four, then of the group
  bool empty;  // nothing below 2^-110 counts

  // ``top``: the group's greatest bits.
  DEVICE void take(float4 x, u32 top) {
    // The exponent that puts the greatest value into [16256, 32512].
    exponent = (top + 0x20000u) >> 23;
    empty = exponent < 17;
    float inverse = empty ? 0.0f : __uint_as_float((268u - exponent) << 23);
    // t = integer + 128: its high byte is hi, its low byte lo + 128.
    u32 t[4] = {(u32)__float2int_rn(x.x * inverse) + 128u, (u32)__float2int_rn(x.y * inverse) + 128u,
                (u32)__float2int_rn(x.z * inverse) + 128u, (u32)__float2int_rn(x.w * inverse) + 128u};
    u32 first = __byte_perm(t[0], t[1], 0x5140), second = __byte_perm(t[2], t[3], 0x5140);
    hi = __byte_perm(first, second, 0x7632);
    lo = __byte_perm(first, second, 0x5410) ^ 0x80808080u;
    sum = (int)(t[0] + t[1] + t[2] + t[3]) - 512;
  }

  // The group's first lane writes scale and sum.
  DEVICE void store(s8* to_hi, s8* to_lo, float* scale, int* to_sum) const {
    *(u32*)to_hi = hi;
    *(u32*)to_lo = lo;
    if (threadIdx.x % (GROUP / 4) == 0) {
      *scale = empty ? 0.0f : __uint_as_float((exponent - 14u) << 23);
      *to_sum = sum;
    }
  }
};

// Quantises a row and hands over each of its steps that begins before ``count``: put(step's first
// input, its four as integers). Reductions of all steps run side by side: each takes long.
template <int K, class Put>
DEVICE void quantise(const Row<K>& row, int count, Put put) {
  constexpr int STEPS = Row<K>::STEPS;
  u32 tops[STEPS];
  Quantised quads[STEPS];
#pragma unroll
  for (int j = 0; j < STEPS; ++j) {
    float4 x = row.v[j];
    tops[j] =
        __float_as_uint(fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w))));
    reduce_group(tops[j]);
  }
#pragma unroll
  for (int j = 0; j < STEPS; ++j) quads[j].take(row.v[j], tops[j]);
#pragma unroll
  for (int j = 0; j < STEPS; ++j) reduce_group(quads[j].sum);
#pragma unroll
  for (int j = 0; j < STEPS; ++j)
    if (Row<K>::at(j) < count) put(Row<K>::at(j), quads[j]);
}

// Quantise ``count`` inputs (a row, zeros beyond K) into hi[], lo[], scales[g * stride] and
// sums[g * stride]; ``offset`` inputs stand before this part (the second half of a joined row).
template <int K>
DEVICE void quantise_row(const Row<K>& row, s8* hi, s8* lo, float* scales, int* sums, int stride,
                         int offset, int count) {
  quantise(row, count, [&](int at, const Quantised& x) {
    int group = (offset + at) / GROUP * stride;
    x.store(hi + offset + at, lo + offset + at, scales + group, sums + group);
  });
}

// Floats as integers of the same order; +0 and -0 alike.
DEVICE u32 ordered(float x) {
  u32 bits = __float_as_uint(x + 0.0f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
