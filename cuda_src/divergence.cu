// How far the deeper of two readings moved: KL(p_high || p_low) in nats over the vocabulary.
//
// Phases: the greatest logit of both · the two sums of exponentials, so the logarithms of both
//   normalisers · the sum of p (t + e^-t - 1), where t = log p_high - log p_low.
// Layout: high, low [count] logits; one block; thread i takes ids i, i + THREADS, ….
// Invariants: one order of every sum (a thread's ids ascending, then block_sum), so the same
//   logits give the same bits. Each term is at least 0 and flat in both normalisers: equal
//   readings give exactly 0, and a small divergence keeps its digits in FP32, where the sum of
//   p t would cancel. engine/uncertainty.py is the definition.
// Measured: never in an answer's way; once a score, beside a pass over the whole prompt.

// The greatest x of the block's THREADS threads.
DEVICE float block_max(float x, float* scratch) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
  __syncthreads();
  x = scratch[threadIdx.x % WARPS];
#pragma unroll
  for (int d = WARPS / 2; d > 0; d >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
  return x;
}

// p (t + e^-t - 1) with p = e^log_p: by its series where t is small, else term by term (e^-t
// alone may overflow).
DEVICE float gap(float log_p, float t) {
  float p = expf(log_p);
  if (fabsf(t) >= 0.5f) return p * (t - 1.0f) + expf(log_p - t);
  float series = 1.0f / 40320;
#pragma unroll
  for (int n = 7, f = 5040; n >= 2; f /= n--) series = 1.0f / f - t * series;
  return p * (t * t * series);
}

ENTRY void __launch_bounds__(THREADS)
    divergence(const float* high, const float* low, float* out, u32 count) {
  __shared__ float scratch[WARPS];
  wait_for_previous();
  float top_high = -infinity(), top_low = -infinity();
  for (u32 id = threadIdx.x; id < count; id += THREADS) {
    top_high = fmaxf(top_high, high[id]);
    top_low = fmaxf(top_low, low[id]);
  }
  top_high = block_max(top_high, scratch);
  top_low = block_max(top_low, scratch);
  float sum_high = 0.0f, sum_low = 0.0f;
  for (u32 id = threadIdx.x; id < count; id += THREADS) {
    sum_high = sum_high + expf(high[id] - top_high);
    sum_low = sum_low + expf(low[id] - top_low);
  }
  float log_high = logf(block_sum(sum_high, scratch)), log_low = logf(block_sum(sum_low, scratch));
  float shift = (top_high - top_low) + (log_high - log_low);
  float total = 0.0f;
  for (u32 id = threadIdx.x; id < count; id += THREADS)
    total = total + gap((high[id] - top_high) - log_high, (high[id] - low[id]) - shift);
  total = block_sum(total, scratch);
  if (threadIdx.x == 0) *out = total;
}
