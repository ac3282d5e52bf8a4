// Every instruction that C++ cannot say, one wrapper each; the only file with inline PTX.
// ARCH is the compute capability the text is compiled for (75, 80, 86, 89, 90, 100, 120).

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define DEVICE __device__ __forceinline__
#define ENTRY extern "C" __global__

// c[16x8] += a[16x32] (u8) * b[32x8] (s8), exact. Lane l holds rows l/4 and l/4+8 of a and c,
// columns 4*(l%4).. of a, column l/4 of b and columns 2*(l%4), +1 of c.
DEVICE void mma_u8s8(int (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if ARCH >= 80
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
#define HALF_ROWS(C0, C1, A, B)                                                              \
  asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"          \
      : "+r"(C0), "+r"(C1)                                                                   \
      : "r"(A), "r"(B))
  HALF_ROWS(c[0], c[1], a[0], b0);
  HALF_ROWS(c[0], c[1], a[2], b1);
  HALF_ROWS(c[2], c[3], a[1], b0);
  HALF_ROWS(c[2], c[3], a[3], b1);
#undef HALF_ROWS
#endif
}

// c[16x8] += a[16x16] * b[16x8], FP16 in, FP32 sums. Two values a register: lane l holds columns
// 2*(l%4), +1 (a[0], a[1]) and +8, +9 (a[2], a[3]) of rows l/4 and l/4+8.
DEVICE void mma_f16(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if ARCH >= 80
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
#define HALF_DEPTH(A0, A1, B)                                                                \
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "       \
      "{%0,%1,%2,%3};"                                                                       \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                       \
      : "r"(A0), "r"(A1), "r"(B))
  HALF_DEPTH(a[0], a[1], b0);
  HALF_DEPTH(a[2], a[3], b1);
#undef HALF_DEPTH
#endif
}

// Four 8-row matrices of 16 bytes a row from shared memory; lane l names row l%8 of matrix l/8.
DEVICE void load_matrices(u32 (&r)[4], const void* row) {
  u32 address = (u32)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

DEVICE u16 to_half(float x) {
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

DEVICE float from_half(u16 h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}

// Two signed bytes (the low half of ``pair``) as two FP16 numbers: 0x6400 + n is 1024 + n.
DEVICE u32 bytes_to_halves(u32 pair) {
  u32 biased = __byte_perm(pair ^ 0x8080u, 0x64646464u, 0x4140);
  u32 halves;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(halves) : "r"(biased), "r"(0x64806480u));
  return halves;
}

DEVICE float exp2_fast(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Reductions over a whole warp in one instruction (8.0 and later).
DEVICE u32 warp_max(u32 x) {
#if ARCH >= 80
  asm volatile("redux.sync.max.u32 %0, %0, 0xffffffff;" : "+r"(x));
#endif
  return x;
}

DEVICE int warp_add(int x) {
#if ARCH >= 80
  asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));
#endif
  return x;
}

// With programmatic dependent launch a kernel starts before its predecessor ends: nothing the
// predecessor wrote may be read before ``wait_for_previous``.
DEVICE void wait_for_previous() {
#if ARCH >= 90
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

DEVICE void let_next_start() {
#if ARCH >= 90
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// 16 bytes from device to shared memory, past the first-level cache and without registers; the
// copies of a thread form groups, and a thread may read what it copied itself after the wait.
DEVICE void copy_async(void* to, const void* from) {
#if ARCH >= 80
  u32 address = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
  *(uint4*)to = *(const uint4*)from;
#endif
}

DEVICE void end_copy_group() {
#if ARCH >= 80
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Four bytes likewise, through the first-level cache.
DEVICE void copy_async_word(void* to, const void* from) {
#if ARCH >= 80
  u32 address = (u32)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
#else
  *(u32*)to = *(const u32*)from;
#endif
}

// Waits until at most ``PENDING`` of this thread's groups are under way.
template <int PENDING>
DEVICE void wait_copies() {
#if ARCH >= 80
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// Words shared with the host while kernels run.
DEVICE void publish(u64* word, u64 value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

// A word that the host may write while kernels run.
DEVICE u32 read_host_word(const u32* word) {
  u32 value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
