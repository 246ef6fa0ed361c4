package workspace

import "testing"

func TestFailureTextHasNoWordsOfAFrontEnd(t *testing.T) {
	err := Errorf(ErrProvider, "the model refused").or(DoReadFile, 0)
	if got := failureText(err); got != "the model refused" {
		t.Errorf("got %q", got)
	}
}
