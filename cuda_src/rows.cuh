// One row of the residual stream between two linear layers. Decode runs this in every block of
// the linear that follows (reading 8 KB again is cheaper than a kernel of its own); prefill runs
// it once a row. Both call advance_row, so both give the same bits.

// What a stage does, in this order; engine/backends/cuda/shapes.py has the same numbers.
#define EMBED 1         // x = embed[token] * EMBED_SCALE
#define LOAD_STATE 2    // x = state[position]
#define LOAD_EXIT 4     // x = exits[position]
#define TAKE_BRANCH 8   // x = branch (the adapter's output)
#define ADD_BRANCH 16   // x and a branch's output joined in the model's norm style
#define ENTRY_STAGE 32  // e = entry norm of x, kept as injected; x = initial state, kept as state
#define LOOP_END 64     // x = loop norm of x, kept as state
#define INJECT 128      // x = inject(x, e); with a linear adapter: quantise x and e side by side
#define POST_ENTRY 256  // x = final norm of x
#define STORE_EXIT 512  // exits[position] = x

struct Stage {
  const Live* live;
  const Vectors* vectors;
  const float* x;       // [rows][HIDDEN]
  float* x_out;         // another buffer than x in decode: other blocks still read that; or null
  const float* branch;  // [rows][HIDDEN]
  const float* post;    // norm weight of the branch, by style
  const float* norm;    // norm weight of what the next linear reads; null: x itself
  u32 flags, first;
};

DEVICE void embed_row(Row<HIDDEN>& x, const void* table, u32 token) {
#pragma unroll
  for (int j = 0; j < Row<HIDDEN>::STEPS; ++j) {
    int at = Row<HIDDEN>::at(j);
    float4 v = make_float4(0, 0, 0, 0);
    if (at < HIDDEN) {
      size_t index = (size_t)token * HIDDEN + at;
#if EMBED_F32
      v = *(const float4*)((const float*)table + index);
#else
      ushort4 h = *(const ushort4*)((const u16*)table + index);
      v = make_float4(from_half(h.x), from_half(h.y), from_half(h.z), from_half(h.w));
#endif
    }
    x.v[j] = make_float4(v.x * EMBED_SCALE, v.y * EMBED_SCALE, v.z * EMBED_SCALE,
                         v.w * EMBED_SCALE);
  }
}

DEVICE float add(float a, float b) { return a + b; }

// The weights of a stage's two norms, which depend on no kernel before.
struct StageNorms {
  Row<HIDDEN> post, norm;

  DEVICE explicit StageNorms(const Stage& stage) {
    if (stage.post) post.load(stage.post);
    if (stage.norm) norm.load(stage.norm);
  }
};

DEVICE void add_branch(Row<HIDDEN>& x, Row<HIDDEN>& y, const Row<HIDDEN>& post, float* scratch) {
#if NORM_STYLE == PRE
  x.combine(y, add);
#elif NORM_STYLE == POSTSUM
  x.combine(y, add);
  x.norm(post, scratch);
#else
  y.norm(post, scratch);
  x.combine(y, add);
#endif
}

DEVICE void inject(Row<HIDDEN>& x, const Row<HIDDEN>& e, const Vectors* vectors) {
#if INJECTION == ADD
  x.combine(e, add);
#elif INJECTION == DIAGONAL
  Row<HIDDEN> a, b;
  a.load(vectors->state_scale);
  b.load(vectors->input_scale);
  x.combine(a, [](float s, float scale) { return s * scale; });
  b.combine(e, [](float scale, float value) { return scale * value; });
  x.combine(b, add);
#endif
}

// Returns the row the next linear reads; ``e`` is filled when ENTRY_STAGE or INJECT is set.
// ``writer``: this block keeps what must be kept (one block a row does).
DEVICE Row<HIDDEN> advance_row(const Stage& stage, const StageNorms& norms, u32 row, bool writer,
                               float* scratch, Row<HIDDEN>& e) {
  const Live* live = stage.live;
  const Vectors* vectors = stage.vectors;
  u32 flags = stage.flags;
  u32 position = (stage.first == AT_LIVE ? live->position : stage.first) + row;
  bool keeper = writer && !(stage.first == AT_LIVE && live->done);
  size_t here = (size_t)position * HIDDEN, line = (size_t)row * HIDDEN;
  Row<HIDDEN> x;
  if (flags & EMBED)
    embed_row(x, vectors->embed, stage.first == AT_LIVE ? live->token : live->ids[position]);
  else if (flags & LOAD_STATE)
    x.load(live->state + here);
  else if (flags & LOAD_EXIT)
    x.load(live->exits + here);
  else
    x.load((flags & TAKE_BRANCH ? stage.branch : stage.x) + line);
  if (flags & ADD_BRANCH) {
    Row<HIDDEN> y;
    y.load(stage.branch + line);
    add_branch(x, y, norms.post, scratch);
  }
  if (flags & ENTRY_STAGE) {
#if ENTRY_NORM
    x.norm(vectors->entry_norm, scratch);
#endif
    e = x;
    if (keeper) e.store(live->injected + here);
#if INITIAL_STATE == ZEROS
    x.combine(x, [](float, float) { return 0.0f; });
#elif INITIAL_STATE == NOISE
    x.load(vectors->start + here);
#endif
    if (keeper) x.store(live->state + here);
  }
  if (flags & LOOP_END) {
#if LOOP_NORM
    x.norm(vectors->loop_norm, scratch);
#endif
    if (keeper) x.store(live->state + here);
  }
  if (flags & INJECT) {
    if (!(flags & ENTRY_STAGE)) e.load(live->injected + here);
    inject(x, e, vectors);
  }
  if (flags & POST_ENTRY) x.norm(vectors->final_norm, scratch);
  if (keeper && flags & STORE_EXIT) x.store(live->exits + here);
  if (writer && stage.x_out) x.store(stage.x_out + line);
  if (stage.norm) x.norm(norms.norm, scratch);
  return x;
}
