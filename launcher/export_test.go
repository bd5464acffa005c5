package launcher

// Known is the size of the table of workers.
func (l *Launcher) Known() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.workers)
}
