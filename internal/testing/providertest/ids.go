package providertest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// openAICallID returns the id of a call in the OpenAI APIs.
func openAICallID(n int) string { return fmt.Sprintf("call_%024d", n) }

// The items of a group came in one answer of the Responses API: its reasoning, then item 1,
// 2, and so on. The API wants the reasoning back with its items.

func reasoningID(group int) string { return fmt.Sprintf("rs_g%012d", group) }

// followingID returns the id of the nth item, counted from 1, that came with the reasoning of
// a group. The prefix belongs to its type: msg, fc or ctc.
func followingID(prefix string, group, n int) string {
	return fmt.Sprintf("%s_g%012d_%d", prefix, group, n)
}

// loneID returns the id of an item that came without reasoning.
func loneID(prefix string, n int) string { return fmt.Sprintf("%s_%012d", prefix, n) }

// Signature returns a signature of some reasoning. A provider that signs reasoning wants it
// back unchanged.
func Signature(thinking string) string {
	sum := sha256.Sum256([]byte(thinking))
	return base64.StdEncoding.EncodeToString(sum[:])
}
