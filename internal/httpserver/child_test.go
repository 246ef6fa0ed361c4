package httpserver

const childVariable = "SCRATCHPAD_HTTP_CHILD"

func childMain() error { return nil }
