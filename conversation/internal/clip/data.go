package clip

import (
	"regexp"
	"strings"
	"sync"
)

// encoded finds data URLs in base64, and other long texts in it. A shorter text may be an
// identifier. It is large, and is compiled at the first use.
var encoded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)data:[^\s,"']{0,250};base64,[a-z0-9+/_=-]*|[a-z0-9+/_-]{256,}=*`)
})

// Data returns a text with the name of what it is instead of each piece of data in base64:
// [image], [audio], [file] or [data].
func Data(text string) string {
	return encoded().ReplaceAllStringFunc(text, func(data string) string {
		head, _, is := strings.Cut(strings.ToLower(data), ",")
		switch {
		case !is:
			return "[data]"
		case strings.HasPrefix(head, "data:image/"):
			return "[image]"
		case strings.HasPrefix(head, "data:audio/"):
			return "[audio]"
		}
		return "[file]"
	})
}
