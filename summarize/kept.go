package summarize

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
)

const (
	mostKept  = 2 << 20 // bytes
	keptEntry = 100     // bytes beside a text
)

// A textKey is the hash of everything that a model is asked to make a text. Only a
// caller that has the content can compute it.
type textKey [sha256.Size]byte

// keptTexts holds the summaries of parts of files whose whole summary is not made
// yet. After a failure they need not be paid for again. The zero value is empty. It
// is safe for concurrent use.
type keptTexts struct {
	mu    sync.Mutex // guards the rest
	texts map[textKey]string
	order []textKey // the oldest first
	size  int
}

func (k *keptTexts) get(key textKey) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, ok := k.texts[key]
	return text, ok
}

// put keeps a text. It removes the oldest texts if there is no room.
func (k *keptTexts) put(key textKey, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := len(text) + keptEntry
	if _, ok := k.texts[key]; ok || size > mostKept {
		return
	}
	for k.size+size > mostKept {
		k.remove(0)
	}
	if k.texts == nil {
		k.texts = map[textKey]string{}
	}
	k.texts[key] = strings.Clone(text) // so that the whole answer can be freed
	k.order = append(k.order, key)
	k.size += size
}

func (k *keptTexts) drop(keys []textKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		if i := slices.Index(k.order, key); i >= 0 {
			k.remove(i)
		}
	}
}

func (k *keptTexts) remove(i int) {
	k.size -= len(k.texts[k.order[i]]) + keptEntry
	delete(k.texts, k.order[i])
	k.order = slices.Delete(k.order, i, i+1)
}
