package scratchpad_test

func saveForever(path string) {}
