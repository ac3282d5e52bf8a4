// How the chunks of a query's keys become one output: each chunk's (top, sum, out) is relative to
// its own maximum, and chunks merge in ascending order. One definition for every kernel.

#define BANDS ((HEAD_DIM + 63) / 64)       // of 64 channels, for the values
#define OUT_AT (2 * BANDS)                 // (top, sum) of each band, then the outputs:
#define PARTIAL (OUT_AT + HEAD_DIM)        // floats of a (head, chunk) in decode

// The first and the number of chunks that hold keys ``position`` may look at.
struct ChunkRange {
  u32 lowest, first, count;

  DEVICE ChunkRange(u32 position, u32 window) {
    lowest = window && position >= window ? position + 1 - window : 0;
    first = lowest / CHUNK;
    count = position / CHUNK - first + 1;
  }
};

// (top, sum) of the chunks so far takes in the next chunk; ``old`` and ``fresh`` scale the outputs.
DEVICE void merge_chunk(float& top, float& sum, float next_top, float next_sum, float& old,
                        float& fresh) {
  if (next_top == -infinity()) {
    old = 1.0f;
    fresh = 0.0f;
    return;
  }
  float best = fmaxf(top, next_top);
  old = exp2_fast((top - best) * SCORE_SCALE);
  fresh = exp2_fast((next_top - best) * SCORE_SCALE);
  sum = __fmaf_rn(sum, old, next_sum * fresh);
  top = best;
}

DEVICE float merge_out(float out, float next, float old, float fresh) {
  return __fmaf_rn(out, old, next * fresh);
}
