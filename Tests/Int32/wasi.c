// What Embedded Swift wants of a C library, and standard output by WASI. Memory is never given back: the program is short.
typedef __SIZE_TYPE__ size_t;

__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_write"))) int fd_write(
    int, const void *, int, void *);

extern unsigned char __heap_base;

int posix_memalign(void **place, size_t alignment, size_t size) {
  static size_t next;
  if (next == 0) next = (size_t)&__heap_base;
  next = (next + alignment - 1) / alignment * alignment;
  size_t end = next + size;
  size_t have = __builtin_wasm_memory_size(0) * 65536;
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + 65535) / 65536) == (size_t)-1) return 12;
  *place = (void *)next;
  next = end;
  return 0;
}

void free(void *place) { (void)place; }

int putchar(int character) {
  unsigned char byte = (unsigned char)character;
  struct {
    const void *start;
    size_t count;
  } piece = {&byte, 1};
  size_t written;
  return fd_write(1, &piece, 1, &written) == 0 ? character : -1;
}

void *memset(void *to, int value, size_t count) {
  for (size_t i = 0; i < count; i++) ((unsigned char *)to)[i] = (unsigned char)value;
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *left = to;
  const unsigned char *right = from;
  if (left < right)
    for (size_t i = 0; i < count; i++) left[i] = right[i];
  else
    for (size_t i = count; i > 0; i--) left[i - 1] = right[i - 1];
  return to;
}

void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

// A product of 128 bits, by which the compiler tells whether one of 64 overflows.
__int128 __multi3(__int128 left, __int128 right) {
  union {
    __int128 whole;
    struct {
      unsigned long long low, high;
    };
  } a = {left}, b = {right}, product;
  unsigned long long mask = 0xFFFFFFFFULL;
  unsigned long long low = (a.low & mask) * (b.low & mask);
  unsigned long long middle = (a.low >> 32) * (b.low & mask) + (low >> 32);
  unsigned long long other = (a.low & mask) * (b.low >> 32) + (middle & mask);
  product.low = other << 32 | (low & mask);
  product.high = (a.low >> 32) * (b.low >> 32) + (middle >> 32) + (other >> 32) + a.high * b.low + a.low * b.high;
  return product.whole;
}

// WebAssembly has instructions for the other ways to round.
double round(double number) {
  double whole = __builtin_trunc(number);
  return __builtin_fabs(number - whole) >= 0.5 ? whole + __builtin_copysign(1.0, number) : whole;
}

size_t __stack_chk_guard = 0x5AFE;
void __stack_chk_fail(void) { __builtin_trap(); }

int main(int, char **);
void _start(void) { main(0, 0); }
