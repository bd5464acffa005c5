// The part of wasmtime's C interface (25.0.0) that the crossing uses. The headers are
// in the binding's module, where cgo of another package cannot reach them, so this is
// a copy. A test compiles it together with the real headers: a prototype that differs
// does not compile, a size or offset that differs fails an assertion.
#ifndef ROOKERY_SHIM_ABI_H
#define ROOKERY_SHIM_ABI_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef ROOKERY_REAL_HEADERS
#include <wasm.h>
#include <wasmtime.h>
#else

typedef struct wasm_trap_t wasm_trap_t;
typedef struct wasm_functype_t wasm_functype_t;
typedef struct wasm_valtype_t wasm_valtype_t;
typedef struct wasmtime_error wasmtime_error_t;
typedef struct wasmtime_caller wasmtime_caller_t;
typedef struct wasmtime_context wasmtime_context_t;
typedef struct wasmtime_linker wasmtime_linker_t;
typedef uint8_t wasm_valkind_t;

typedef struct {
  size_t size;
  wasm_valtype_t **data;
} wasm_valtype_vec_t;

typedef struct {
  size_t size;
  char *data;
} wasm_byte_vec_t;

typedef wasm_byte_vec_t wasm_name_t;

typedef union {
  int32_t i32;
  int64_t i64;
  uint8_t v128[16];
} wasmtime_val_raw_t;

typedef struct {
  uint64_t store_id;
  size_t index;
} wasmtime_memory_t;

typedef struct {
  uint8_t kind;
  union {
    wasmtime_memory_t memory;
    struct {
      uint64_t store_id;
      size_t index;
    } other;
  } of;
} wasmtime_extern_t;

typedef wasm_trap_t *(*wasmtime_func_unchecked_callback_t)(void *, wasmtime_caller_t *, wasmtime_val_raw_t *, size_t);

#define WASM_I32 0
#define WASM_I64 1
#define WASMTIME_EXTERN_MEMORY 3

#endif

wasmtime_error_t *wasmtime_linker_define_func_unchecked(wasmtime_linker_t *, const char *module, size_t,
                                                        const char *name, size_t, const wasm_functype_t *,
                                                        wasmtime_func_unchecked_callback_t, void *data,
                                                        void (*finalizer)(void *));
void wasmtime_error_message(const wasmtime_error_t *, wasm_name_t *);
void wasmtime_error_delete(wasmtime_error_t *);
bool wasmtime_caller_export_get(wasmtime_caller_t *, const char *name, size_t, wasmtime_extern_t *);
wasmtime_context_t *wasmtime_caller_context(wasmtime_caller_t *);
void *wasmtime_context_get_data(const wasmtime_context_t *);
uint8_t *wasmtime_memory_data(const wasmtime_context_t *, const wasmtime_memory_t *);
size_t wasmtime_memory_data_size(const wasmtime_context_t *, const wasmtime_memory_t *);
void wasmtime_extern_delete(wasmtime_extern_t *);
void wasm_byte_vec_delete(wasm_byte_vec_t *);
wasm_trap_t *wasmtime_trap_new(const char *, size_t);
wasm_valtype_t *wasm_valtype_new(wasm_valkind_t);
void wasm_valtype_vec_new_uninitialized(wasm_valtype_vec_t *, size_t);
wasm_functype_t *wasm_functype_new(wasm_valtype_vec_t *params, wasm_valtype_vec_t *results);
void wasm_functype_delete(wasm_functype_t *);

static_assert(sizeof(wasmtime_val_raw_t) == 16, "a raw value has 16 bytes");
static_assert(sizeof(wasmtime_memory_t) == 16, "a memory handle has 16 bytes");
static_assert(sizeof(wasmtime_extern_t) == 24, "an extern has 24 bytes");
static_assert(offsetof(wasmtime_extern_t, of) == 8, "the extern's value is at 8");
static_assert(WASM_I32 == 0 && WASM_I64 == 1 && WASMTIME_EXTERN_MEMORY == 3, "the kinds' numbers");

#endif
