#include "abi.h"

// How many stores may be attached at once. A worker runs one guest at a time; tests
// run some dozens.
#define ROOKERY_SEATS 1024

// rookery_define adds one function to a linker. kinds holds the parameters' types,
// then the results'. The answer is NULL or an error that rookery_error_text consumes.
wasmtime_error_t *rookery_define(void *linker, const char *module, size_t module_len, const char *name,
                                 size_t name_len, const uint8_t *kinds, size_t params, size_t results, uintptr_t env);

// rookery_error_text copies an error's message, as much as fits, and deletes it.
size_t rookery_error_text(wasmtime_error_t *err, char *into, size_t len);

// rookery_seat returns a store's number: what the binding keeps as the store's data.
uintptr_t rookery_seat(void *context);

// rookery_forget drops what is remembered of the store that had a number before.
void rookery_forget(uintptr_t seat);
