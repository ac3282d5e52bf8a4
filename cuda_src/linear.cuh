// Linear layers as mma with the weights as the 16-row operand and two activation digits as
// columns. INT4 products are exact integers; FP16 products keep one fixed order. The FP32 sum
// runs over the groups of a span in ascending order, then over the spans: by K alone,
// never by how many rows share the pass.
//
// Packed INT4 (engine/backends/cuda/packing.py is the definition): a unit is 16 rows x 64 inputs
// = 16 bytes a lane; word 2s holds step s's columns 4q..4q+3 and word 2s+1 the columns 16+4q..;
// low nibbles are row l/4, high nibbles (left where they are: times 16) row l/4 + 8.
// Scales: [tile][group][8] words, row r in the low half, r + 8 in the high half.
// Packed FP16: a unit is 16 rows x 16 inputs = 16 bytes a lane, the registers of mma_f16's a.

template <int K, bool W4>
struct Linear {
  using D = Digits<K>;
  static constexpr int UNIT = W4 ? 64 : 16;               // inputs of one 16-byte load
  static constexpr int UNITS = D::PADDED / UNIT;          // in one tile of 16 rows
  static constexpr int BLOCK_UNITS = D::BLOCK / UNIT;
  static constexpr int SPAN = (D::BLOCKS + K_SPANS - 1) / K_SPANS;  // blocks of one partial sum
  static constexpr int GROUPS_A_BLOCK = D::BLOCK / GROUP;
};

DEVICE void unpack_step(u32 (&a)[4], u32 first, u32 second) {
  a[0] = first & 0x0f0f0f0fu;
  a[1] = first & 0xf0f0f0f0u;
  a[2] = second & 0x0f0f0f0fu;
  a[3] = second & 0xf0f0f0f0u;
}

DEVICE float low_scale(u32 pair) { return from_half((u16)(pair & 0xffffu)); }
DEVICE float high_scale(u32 pair) { return from_half((u16)(pair >> 16)) * 0.0625f; }

// silu(gate) * up.
DEVICE float swiglu(float gate, float up) { return gate / (1.0f + expf(-gate)) * up; }
