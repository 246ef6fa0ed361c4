package native

import "math"

// MaxFiles returns how many files and connections the process may have open. Windows sets no
// limit of its own.
func MaxFiles() int { return math.MaxInt32 }
