#include "shim.h"

#include <string.h>

#include "_cgo_export.h"

// Each store is used by one thread at a time, and so is its row.
static struct {
  wasmtime_memory_t memory;
  bool known;
} seats[ROOKERY_SEATS];

static wasm_trap_t *trap(const char *text) { return wasmtime_trap_new(text, strlen(text)); }

// The memory's handle stays good for the life of the store; where the memory is and
// how large does not, so that is asked on every call. A guest without one is served
// with no bytes: every pointer is then out of bounds.
static wasm_trap_t *cross(void *env, wasmtime_caller_t *caller, wasmtime_val_raw_t *raw, size_t n) {
  wasmtime_context_t *context = wasmtime_caller_context(caller);
  uintptr_t seat = rookery_seat(context);
  if (seat >= ROOKERY_SEATS)
    return trap("too many stores");
  if (!seats[seat].known) {
    wasmtime_extern_t item;
    if (wasmtime_caller_export_get(caller, "memory", strlen("memory"), &item)) {
      if (item.kind == WASMTIME_EXTERN_MEMORY) {
        seats[seat].memory = item.of.memory;
        seats[seat].known = true;
      }
      wasmtime_extern_delete(&item);
    }
  }
  uint8_t *base = NULL;
  size_t size = 0;
  if (seats[seat].known) {
    base = wasmtime_memory_data(context, &seats[seat].memory);
    size = wasmtime_memory_data_size(context, &seats[seat].memory);
  }
  return rookeryCross(seat, (uintptr_t)env, raw, n, base, size);
}

static void types(wasm_valtype_vec_t *vec, const uint8_t *kinds, size_t n) {
  wasm_valtype_vec_new_uninitialized(vec, n);
  for (size_t i = 0; i < n; i++)
    vec->data[i] = wasm_valtype_new(kinds[i]);
}

wasmtime_error_t *rookery_define(void *linker, const char *module, size_t module_len, const char *name,
                                 size_t name_len, const uint8_t *kinds, size_t params, size_t results, uintptr_t env) {
  wasm_valtype_vec_t in, out;
  types(&in, kinds, params);
  types(&out, kinds + params, results);
  wasm_functype_t *type = wasm_functype_new(&in, &out);
  wasmtime_error_t *err = wasmtime_linker_define_func_unchecked(linker, module, module_len, name, name_len, type, cross,
                                                                (void *)env, NULL);
  wasm_functype_delete(type);
  return err;
}

size_t rookery_error_text(wasmtime_error_t *err, char *into, size_t len) {
  wasm_name_t text;
  wasmtime_error_message(err, &text);
  wasmtime_error_delete(err);
  size_t n = text.size < len ? text.size : len;
  memcpy(into, text.data, n);
  wasm_byte_vec_delete(&text);
  return n;
}

uintptr_t rookery_seat(void *context) { return (uintptr_t)wasmtime_context_get_data(context); }

void rookery_forget(uintptr_t seat) { seats[seat].known = false; }
