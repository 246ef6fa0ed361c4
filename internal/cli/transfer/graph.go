package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// maxGraph is how many bytes a graph may have. The server that writes it reads it whole, too.
const maxGraph = 16 << 20

// A graphLine is a line of a graph: an entity, or a relation of one entity to another.
type graphLine struct {
	Type         string
	Name         string
	EntityType   string
	Observations []string
	From         string
	To           string
	RelationType string
}

// readGraphLine decodes a line.
func readGraphLine(text []byte) (l graphLine, err error) {
	err = json.Unmarshal(text, &l)
	isEntity := l.Type == "entity" && l.Name != ""
	if err != nil || !isEntity && (l.Type != "relation" || l.From == "" || l.To == "") {
		err = errors.New("it is neither an entity nor a relation, as the memory server writes them")
	}
	return l, err
}

// An entity is what a graph says of a thing, in Markdown.
type entity struct{ types, observations, relations []string }

// graph makes a file of each entity of a graph, which is JSON, line by line. at is the time of
// all of them.
func (im *importer) graph(file string, at time.Time) ([]found, error) {
	text, err := im.folder.read(file, maxGraph)
	if err != nil {
		return nil, err
	}
	var names []string
	all := map[string]*entity{}
	of := func(name string) *entity {
		if all[name] == nil {
			all[name] = &entity{}
			names = append(names, name)
		}
		return all[name]
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		l, err := readGraphLine(line)
		switch {
		case err != nil:
			im.leaveOut(fmt.Sprintf("%s, line %d", file, i+1), err.Error())
		case l.Type == "entity":
			e := of(l.Name)
			e.types, e.observations = append(e.types, l.EntityType), append(e.observations, l.Observations...)
		default:
			says := l.From + " " + l.RelationType + " " + l.To
			for e := range map[*entity]bool{of(l.From): true, of(l.To): true} {
				e.relations = append(e.relations, says)
			}
		}
		if len(names) > maxNames {
			return nil, workspace.Errorf(workspace.ErrTooLarge, "the graph has more than %d entities", maxNames)
		}
	}
	var notes []found
	for _, name := range names {
		notes = append(notes, found{name: file + ", " + name, path: strings.ReplaceAll(name, "/", "\x00") + ".md",
			content: all[name].markdown(name), time: at})
	}
	return notes, im.ctx.Err()
}

// markdown returns the file of an entity.
func (e *entity) markdown(name string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(name), " "))
	if kind := strings.Join(e.types, ", "); kind != "" {
		fmt.Fprintf(&b, "\nType: %s\n", kind)
	}
	list := func(heading string, items []string) {
		if len(items) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", heading)
		}
		for _, item := range items {
			fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(item, "\n", "\n  "))
		}
	}
	list("Observations", e.observations)
	list("Relations", e.relations)
	return b.Bytes()
}
