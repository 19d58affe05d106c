// Counts the allocations of a process: cc -shared -fPIC -O2 -o allocations.so allocations.c; LD_PRELOAD=./allocations.so
// Written for glibc, whose own functions stay reachable under these names.
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_long count;

static void note(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

long b2c_allocations(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void *malloc(size_t size) { note(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { note(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { note(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
