package transfer_test

const killVariable = "SCRATCHPAD_TEST_KILL_TRANSFER"

func beKilled(string) {}
