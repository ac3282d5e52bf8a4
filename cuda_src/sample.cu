// The next token: arg-max, or penalty, temperature, top-k, top-p and Philox, in one block.
//
// Phases (sample_token): scores = logits after penalty and temperature · radix descent over the
//   unique 64-bit keys (score, lower id first) to the k-th largest · the same by mass for top-p ·
//   arg-max of score + Gumbel noise over what is left · publish.
// Layout: scores [VOCAB] scratch; flags [VOCAB]: bit 0 banned, bit 1 seen in prompt or answer.
// Invariants: order-free (integer counts, 2^-36 fixed-point masses, maxima of unique keys), so a
//   draw depends on (logits, history, position, seed) alone; engine/sampling.py is the definition.
// Measured: cuda_src/README.md, "Decode".

#define SAMPLERS 1024
#define MAILBOX 64
#define BANNED 1
#define SEEN 2

// Gives the id out, makes it the token to read next, and moves on by one position.
// ``first``: the answer's first id, whose position is not read yet.
DEVICE void finish_token(Live* live, u32 id, u8* flags, u32 first) {
  u32 position = live->position + (first ? 0 : 1);
  live->position = position;
  live->token = id;
  live->best = 0;
  flags[id] |= SEEN;
  if (position < live->capacity) live->ids[position] = id;
  else live->done = 1;
  u32 sequence = live->sequence;
  live->sequence = sequence + 1;
  if (live->stopped) live->done = 1;
  publish(live->mailbox + sequence % MAILBOX, (u64)(sequence + 1) << 32 | id);
}

// Greedy without penalty: the head's arg-max.
ENTRY void pick_best(Live* live, u8* flags, u32 first) {
  wait_for_previous();
  if (live->done) return;
  finish_token(live, ~(u32)live->best, flags, first);
}

DEVICE u32 philox_word(u32 position, u32 id, u64 seed) {
  u32 c0 = position, c1 = id / 4, c2 = 0, c3 = 0, k0 = (u32)seed, k1 = (u32)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    u32 high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    u32 high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return id % 4 == 0 ? c0 : id % 4 == 1 ? c1 : id % 4 == 2 ? c2 : c3;
}

DEVICE float gumbel(u32 position, u32 id, u64 seed) {
  float u = ((float)(philox_word(position, id, seed) >> 9) + 0.5f) * 0x1p-23f;
  return -logf(-logf(u));
}

DEVICE u64 key_of_score(float score, u32 id) { return (u64)ordered(score) << 32 | (u32)~id; }

DEVICE float score_of_key(u64 key) {
  u32 bits = (u32)(key >> 32);
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

DEVICE u64 block_max(u64 x) {
  __shared__ u64 best[SAMPLERS / 32];
  for (int d = 16; d > 0; d >>= 1) {
    u64 other = __shfl_xor_sync(0xffffffffu, x, d);
    x = other > x ? other : x;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = x;
  __syncthreads();
  x = best[0];
  for (int w = 1; w < SAMPLERS / 32; ++w) x = best[w] > x ? best[w] : x;
  return x;
}

// Calls f(key) for every id that may be sampled and whose key is at least ``floor``.
template <class F>
DEVICE void each_key(const float* scores, const u8* flags, u64 floor, F f) {
  for (u32 id = threadIdx.x; id < VOCAB; id += SAMPLERS) {
    float score = scores[id];
    u64 key = key_of_score(score, id);
    if (!(flags[id] & BANNED) && score > -infinity() && key >= floor) f(key);
  }
}

// Returns the largest key k such that the masses of keys >= k (and >= floor) reach ``target``,
// or ``floor`` when all of them together do not.
template <class Mass>
DEVICE u64 descend(const float* scores, const u8* flags, u64 floor, u64 target, Mass mass) {
  __shared__ u64 bins[256];
  __shared__ u64 prefix, above;
  __shared__ bool found;
  if (threadIdx.x == 0) prefix = above = 0, found = true;
  for (int shift = 56; shift >= 0; shift -= 8) {
    if (threadIdx.x < 256) bins[threadIdx.x] = 0;
    __syncthreads();
    u64 want = prefix, upper = shift == 56 ? 0 : ~0ull << (shift + 8);
    each_key(scores, flags, floor, [&](u64 key) {
      if ((key & upper) == want) atomicAdd(&bins[key >> shift & 255], mass(key));
    });
    __syncthreads();
    if (threadIdx.x == 0) {
      int bin = 255;
      while (bin > 0 && above + bins[bin] < target) above += bins[bin--];
      if (above + bins[bin] < target) found = false;
      prefix |= (u64)bin << shift;
    }
    __syncthreads();
    if (!found) return floor;
  }
  return prefix;
}

ENTRY void __launch_bounds__(SAMPLERS, 1)
    sample_token(Live* live, const float* logits, float* scores, u8* flags, u32 first) {
  wait_for_previous();
  if (live->done) return;
  float penalty = live->penalty, temperature = live->temperature;
  bool greedy = temperature == 0.0f;
  u64 best = 0;
  for (u32 id = threadIdx.x; id < VOCAB; id += SAMPLERS) {
    float score = logits[id];
    if (flags[id] & SEEN && penalty != 1.0f) score = score > 0 ? score / penalty : score * penalty;
    if (!greedy) score = score / fmaxf(temperature, 1e-30f);
    scores[id] = score;
    u64 key = key_of_score(score, id);
    if (!(flags[id] & BANNED) && key > best) best = key;
  }
  best = block_max(best);
  __syncthreads();
  float top = score_of_key(best);
  if (!greedy && top < infinity() && top > -infinity()) {
    u64 floor = 0;
    if (live->top_k) floor = descend(scores, flags, 0, live->top_k, [](u64) { return 1ull; });
    if (live->top_p < 1.0f) {
      auto mass = [=](u64 key) { return (u64)(expf(score_of_key(key) - top) * 0x1p36f); };
      __shared__ u64 total;
      if (threadIdx.x == 0) total = 0;
      __syncthreads();
      each_key(scores, flags, floor, [&](u64 key) { atomicAdd(&total, mass(key)); });
      __syncthreads();
      u64 target = (u64)ceil((double)live->top_p * (double)total);
      floor = descend(scores, flags, floor, target, mass);
    }
    u32 position = live->position + (first ? 0 : 1);
    u64 seed = live->seed;
    best = 0;
    each_key(scores, flags, floor, [&](u64 key) {
      u32 id = ~(u32)key;
      u64 noisy = key_of_score(score_of_key(key) + gumbel(position, id, seed), id);
      if (noisy > best) best = noisy;
    });
    best = block_max(best);
  }
  if (threadIdx.x == 0) finish_token(live, ~(u32)best, flags, first);
}
