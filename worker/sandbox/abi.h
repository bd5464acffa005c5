// The few functions of the engine's C interface that its Go binding does not offer
// or offers only with finalizers. The types carry the engine's own names, so that a
// test can compile this file together with the engine's headers.
#ifndef ROOKERY_SANDBOX_ABI_H
#define ROOKERY_SANDBOX_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wasm_config_t wasm_config_t;
typedef struct wasm_trap_t wasm_trap_t;
typedef struct wasmtime_error wasmtime_error_t;
typedef struct wasmtime_context wasmtime_context_t;
typedef struct wasmtime_func wasmtime_func_t;
typedef struct wasmtime_val wasmtime_val_t;

void wasmtime_config_wasm_tail_call_set(wasm_config_t *, bool);
wasmtime_error_t *wasmtime_func_call(wasmtime_context_t *store, const wasmtime_func_t *func,
                                     const wasmtime_val_t *args, size_t nargs,
                                     wasmtime_val_t *results, size_t nresults, wasm_trap_t **trap);
bool wasmtime_trap_code(const wasm_trap_t *, uint8_t *code);
void wasm_trap_delete(wasm_trap_t *);
void wasmtime_error_delete(wasmtime_error_t *error);

#endif
