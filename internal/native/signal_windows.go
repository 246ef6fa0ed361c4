package native

// IgnoreFileSizeSignal does nothing on this system.
func IgnoreFileSizeSignal() {}

// IgnorePipeSignal does nothing on this system.
func IgnorePipeSignal() {}
