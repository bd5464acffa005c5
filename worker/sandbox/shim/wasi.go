package shim

import "rookery/worker/wasi"

// WASI returns preview 1 as host functions. world finds the task's WASI host in what
// Attach was given; it runs on every call.
func WASI(world func(host any) *wasi.Host) []Func {
	table := wasi.Funcs()
	funcs := make([]Func, len(table))
	for i := range table {
		row := &table[i]
		funcs[i] = Func{
			Module: wasi.Module, Name: row.Name, Params: kinds(row.Params), Results: kinds(row.Results),
			Call: func(host any, mem []byte, args *Args) (uint64, error) { return row.Call(world(host), mem, args) },
		}
	}
	return funcs
}

func kinds(types []wasi.ValType) (k []ValType) {
	for _, t := range types {
		if t == wasi.I64 {
			k = append(k, I64)
		} else {
			k = append(k, I32)
		}
	}
	return k
}
