package proc

// ParseStartTime is tested by itself.
var ParseStartTime = parseStartTime
