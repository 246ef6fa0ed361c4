package workspace

import "testing"

func TestFailureTextHasNoWordsOfAFrontEnd(t *testing.T) {
	err := or(Errorf(ErrProvider, "the model refused"), DoReadFile, 0)
	if got := failureText(err); got != "the model refused" {
		t.Errorf("got %q", got)
	}
}
