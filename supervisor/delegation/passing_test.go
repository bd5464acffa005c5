package delegation

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
)

func TestOnlyWhatPassesKeepsARecordWaiting(t *testing.T) {
	t.Parallel()
	full := &fs.PathError{Op: "write", Path: "completion.json", Err: unix.ENOSPC}
	assert.True(t, passing(full))
	assert.True(t, passing(errors.Join(nil, fmt.Errorf("record: %w", full))))
	assert.True(t, passing(unix.EDQUOT))
	assert.True(t, passing(unix.EMFILE))
	assert.False(t, passing(nil))
	assert.False(t, passing(&fs.PathError{Op: "rename", Path: "completion.json", Err: unix.EISDIR}))
	assert.False(t, passing(beneath.ErrLink))
	assert.False(t, passing(unix.EACCES))
}
