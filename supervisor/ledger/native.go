package ledger

import (
	"context"
	"maps"
	"slices"

	"rookery/supervisor/store"
)

// NativeDigest returns the recorded digest of native code, see [Ledger].
func (b *Book) NativeDigest(key string) (digest string, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	digest, ok = b.committed.native[key]
	return digest, ok
}

// PutNativeDigest records a digest, see [Ledger].
func (b *Book) PutNativeDigest(ctx context.Context, key, digest string) error {
	return b.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Put(nativeBucket, key, []byte(digest)); err != nil {
			return err
		}
		tx.After(func(err error) {
			if err != nil {
				return
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.committed.native[key] = digest
		})
		return nil
	})
}

// NativeKeys lists what a digest is recorded for, see [Ledger].
func (b *Book) NativeKeys() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Sorted(maps.Keys(b.committed.native))
}

// ForgetNative removes a digest, see [Ledger].
func (b *Book) ForgetNative(ctx context.Context, key string) error {
	return b.store.Update(ctx, func(tx *store.Tx) error {
		tx.Delete(nativeBucket, key)
		tx.After(func(err error) {
			if err != nil {
				return
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			delete(b.committed.native, key)
		})
		return nil
	})
}
