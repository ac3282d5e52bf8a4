// The residual stages and quantisation of prefill: one block a row.
//
// Phases: make the row (rows.cuh) · keep what must be kept · quantise it for the next linear.
// Layout: digits [2][ROWS][PADDED] (hi plane, lo plane), scales and sums [groups][ROWS].
// Invariants: the block size and the order of the norm's sum are those of linear_decode.cu.
// Measured: cuda_src/README.md, "Prefill".

struct DigitPlanes {
  s8* digits;
  float* scales;
  int* sums;
};

template <int K>
DEVICE void quantise_into(const DigitPlanes& to, const Row<K>& row, int width, int offset,
                          int count) {
  s8* hi = to.digits + (size_t)blockIdx.x * width;
  quantise_row(row, hi, hi + (size_t)ROWS * width, to.scales + blockIdx.x, to.sums + blockIdx.x,
               ROWS, offset, count);
}

// A stage over rows first .. first + gridDim.x - 1; ``digits`` null: nothing is quantised.
ENTRY void __launch_bounds__(THREADS)
    stage_rows(const Live* live, const Vectors* vectors, float* x, const float* branch,
               const float* post, const float* norm, u32 flags, u32 first, s8* digits,
               float* scales, int* sums) {
  __shared__ float scratch[WARPS];
  Stage stage = {live, vectors, x, x, branch, post, norm, flags, first};
  StageNorms norms(stage);
  wait_for_previous();
  Row<HIDDEN> e;
  Row<HIDDEN> row = advance_row(stage, norms, blockIdx.x, true, scratch, e);
  if (!digits) return;
  DigitPlanes to = {digits, scales, sums};
#if INJECTION == LINEAR
  if (flags & INJECT) {
    constexpr int WIDTH = Digits<2 * HIDDEN>::PADDED;
    quantise_into(to, row, WIDTH, 0, HIDDEN);
    quantise_into(to, e, WIDTH, HIDDEN, WIDTH - HIDDEN);
    return;
  }
#endif
  constexpr int WIDTH = Digits<HIDDEN>::PADDED;
  quantise_into(to, row, WIDTH, 0, WIDTH);
}

template <int K>
DEVICE void quantise_vectors(const float* vectors, s8* digits, float* scales, int* sums) {
  wait_for_previous();
  Row<K> row;
  row.load(vectors + (size_t)blockIdx.x * K);
  DigitPlanes to = {digits, scales, sums};
  constexpr int WIDTH = Digits<K>::PADDED;
  quantise_into(to, row, WIDTH, 0, WIDTH);
}

// Attention's heads [rows][Q_WIDTH] and SwiGLU's inner rows [rows][FFN] for the linear after.
ENTRY void __launch_bounds__(THREADS)
    quantise_heads(const float* vectors, s8* digits, float* scales, int* sums) {
  quantise_vectors<Q_WIDTH>(vectors, digits, scales, sums);
}

ENTRY void __launch_bounds__(THREADS)
    quantise_inner(const float* vectors, s8* digits, float* scales, int* sums) {
  quantise_vectors<FFN>(vectors, digits, scales, sums);
}
