package providertest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// The ids of items say which items came together, so that a request can be checked by
// itself. The items of a group came in one answer: its reasoning, then item 1, 2, and so
// on. Each item of a group needs the reasoning before it, and the reasoning needs item 1
// directly after it.

// ReasoningID returns the id of the reasoning of a group.
func ReasoningID(group int) string { return fmt.Sprintf("rs_g%012d", group) }

// FollowingID returns the id of the nth item, counted from 1, that came with the
// reasoning of a group. The prefix belongs to its type: msg, fc or ctc.
func FollowingID(prefix string, group, n int) string {
	return fmt.Sprintf("%s_g%012d_%d", prefix, group, n)
}

// LoneID returns the id of an item that came without reasoning. Any other id with the
// right prefix stands for such an item too.
func LoneID(prefix string, n int) string { return fmt.Sprintf("%s_%012d", prefix, n) }

// EncryptedContent returns the encrypted_content of the reasoning with an id.
func EncryptedContent(id string) string {
	return "gAAAAAB" + base64.URLEncoding.EncodeToString(mac([]byte("reasoning"), []byte(id)))
}

var groupID = regexp.MustCompile(`^[a-z]+_(g\d{12,})(?:_(\d+))?$`)

// group returns the group of an id, and the number of the item in it. It returns "" if
// the id is of no group.
func group(id string) (group, number string) {
	if m := groupID.FindStringSubmatch(id); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// The prefixes for which an error was quoted.
var responsesPrefix = map[string]string{"message": "msg", "reasoning": "rs", "function_call": "fc", "function_call_output": "fc",
	"custom_tool_call": "ctc", "web_search_call": "ws"}

// checkIDs checks the ids of items. earendil-works/pi#5148 (twice), #10257 (the prefix).
func (r *responsesRequest) checkIDs() error {
	seen := map[string]bool{}
	for i := range r.items {
		it, param := &r.items[i], fmt.Sprintf("input[%d].id", i)
		if it.ID == nil {
			continue
		}
		prefix := responsesPrefix[it.kind()]
		switch {
		case *it.ID == "":
			return refuseEmptyString(param)
		case !strings.HasPrefix(*it.ID, prefix):
			return refuseOpenAI(param, "invalid_value", "Invalid '%s': '%s'. Expected an ID that begins with '%s'.", param, *it.ID, prefix)
		case len(*it.ID) > 64:
			return refuseLong(param, 64, len(*it.ID))
		case !openAIName.MatchString(*it.ID):
			return refuseOpenAI(param, "invalid_value", "Invalid '%s': '%s'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.", param, *it.ID)
		case seen[*it.ID]:
			return refuseOpenAI("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", *it.ID)
		}
		seen[*it.ID] = true
	}
	return nil
}

// checkReasoning checks that reasoning and its items stand together.
// mastra-ai/mastra#8738 (an item without its reasoning), vercel/ai#11036 (reasoning
// without its item), microsoft/agent-framework (store). A public probe of 2026-09 found
// that the second rule is not enforced if store is false. Here it always is.
func (r *responsesRequest) checkReasoning() error {
	thought := map[string]bool{} // the groups whose reasoning came
	for i := range r.items {
		it := &r.items[i]
		if err := it.checkStored(r.Store != nil && !*r.Store); err != nil {
			return err
		}
		if it.ID == nil || it.kind() == "item_reference" {
			continue
		}
		g, n := group(*it.ID)
		if it.kind() != "reasoning" {
			if n != "" && !thought[g] && !r.continues() {
				return refuseOpenAI("input", "", "Item '%s' of type '%s' was provided without its required 'reasoning' item: 'rs_%s'.", *it.ID, it.kind(), g)
			}
			continue
		}
		thought[g] = g != ""
		var next string
		if i+1 < len(r.items) {
			next = text(r.items[i+1].ID)
		}
		if after, first := group(next); g != "" && (after != g || first != "1") {
			return refuseOpenAI("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", *it.ID)
		}
	}
	return nil
}

// checkStored refuses items that the provider should have stored and has not, and
// reasoning that was changed.
func (it *responsesItem) checkStored(unstored bool) error {
	kind, id := it.kind(), text(it.ID)
	known, _ := group(id)
	switch {
	case kind == "reasoning" && it.EncryptedContent != nil:
		if *it.EncryptedContent != EncryptedContent(id) {
			return refuseOpenAI("", "invalid_encrypted_content", "The encrypted content for item %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", id)
		}
	case kind == "reasoning" && unstored, kind == "item_reference" && unstored:
		return refuseLookup("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)
	case kind == "reasoning" && known == "":
		return refuseLookup("Item with id '%s' not found.", id)
	}
	return nil
}

func refuseLookup(format, id string) error {
	refused := refuseOpenAI("input", "", format, id).(*Refusal)
	refused.Status = http.StatusNotFound
	return refused
}
