package fleet

import "time"

// Retention bounds what is kept of sessions that have ended.
type Retention struct {
	// Age is how long after the end of its tree a session's records are kept.
	Age time.Duration
	// MaxBytes is how much all records, work folders and native code together may take before the oldest go early.
	MaxBytes int64
}

// DefaultRetention is what a fleet file that says nothing has.
var DefaultRetention = Retention{Age: 7 * 24 * time.Hour, MaxBytes: 10 << 30}

const (
	// maxAge bounds how long records are kept: ten years. Times before now less this are still times.
	maxAge = 10 * 365 * 24 * time.Hour
	// leastBytes is one record with its logs: less could keep nothing.
	leastBytes = 1 << 20
)

func (c *checker) retention(w *retention) Retention {
	r := DefaultRetention
	if w.Records != nil {
		if r.Age = w.Records.Std(); r.Age <= 0 || r.Age > maxAge {
			c.bad("retention.records", "%s is not between nothing and ten years", w.Records)
		}
	}
	if w.MaxBytes != nil {
		if r.MaxBytes = int64(*w.MaxBytes); r.MaxBytes < leastBytes {
			c.bad("retention.max_bytes", "%s is less than one record with its logs can take, %d bytes", w.MaxBytes, leastBytes)
		}
	}
	return r
}
