package torture

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/anishathalye/porcupine"
)

// decideTime is how long porcupine may take for a history. It takes milliseconds.
const decideTime = 30 * time.Second

// check returns what is wrong with a history, and "" if nothing is. end is what a new
// process found after it. undecided reports that porcupine did not come to an end.
//
// All changes of an agent come one after the other, and the journal has them in that order.
// So the journal says which calls were done, also those whose answers were lost, and what
// the agent had after each revision. What is left is whether the answers of all other calls,
// and the times of all calls, agree with that order.
func (h *history) check(end *look) (problem string, undecided bool) {
	j := &judge{h: h, byID: map[string]*record{}, revision: map[string]int64{}}
	for _, r := range h.Records {
		j.byID[r.Call.ID] = r
	}
	for _, step := range []func(*look) string{j.answers, j.replay, j.acknowledged, j.compare} {
		if problem := step(end); problem != "" {
			return problem, false
		}
	}
	return j.linear()
}

// A judge checks a history.
type judge struct {
	h        *history
	byID     map[string]*record
	revision map[string]int64 // of the calls that were done and changed something
	states   []state          // by revision
}

// answers looks for answers that no call should get.
func (j *judge) answers(*look) string {
	for _, r := range j.h.Records {
		for _, a := range r.Attempts {
			switch {
			case a.Answer.Failed == failedWrong:
				return fmt.Sprintf("call %s failed: %s", describe(r), a.Answer.Error)
			case strings.Contains(a.Answer.Text, "canary"):
				return fmt.Sprintf("call %s shows another agent's data", describe(r))
			}
		}
	}
	return ""
}

// replay does again what the journal says, in its order, and compares each row and each
// answer with the model's.
func (j *judge) replay(end *look) string {
	j.states = []state{{}}
	for i, row := range end.Rows {
		if row.Revision != int64(i)+1 {
			return fmt.Sprintf("the journal has revision %d where revision %d belongs", row.Revision, i+1)
		}
		r, ok := j.byID[row.Author.Session]
		switch {
		case !ok:
			return fmt.Sprintf("revision %d is a change of %q by %q, which no client of this agent made", row.Revision,
				row.Path, row.Author.Session)
		case j.revision[r.Call.ID] > 0:
			return fmt.Sprintf("the call %s was done twice: its revisions are %d and %d", describe(r),
				j.revision[r.Call.ID], row.Revision)
		}
		j.revision[r.Call.ID] = row.Revision
		after, want, a := j.states[i].after(r.Call)
		if a.Failed != "" || want.Op == "" {
			return fmt.Sprintf("revision %d is by the call %s, which had to change nothing there: %s", row.Revision,
				describe(r), show(a))
		}
		have := row
		have.Author, have.Time = want.Author, want.Time
		if have != want {
			return fmt.Sprintf("revision %d is %s, expected %s after the call %s", row.Revision, rowText(have),
				rowText(want), describe(r))
		}
		if got := r.last().Answer; r.ok() && !got.same(a) {
			return fmt.Sprintf("the call %s was done as revision %d, expected the answer %s", describe(r), row.Revision,
				show(a))
		}
		j.states = append(j.states, after)
	}
	if end.State.Revision != int64(len(end.Rows)) {
		return fmt.Sprintf("the journal has %d rows, and the last revision is %d", len(end.Rows), end.State.Revision)
	}
	return ""
}

// acknowledged compares the answers of the calls with what the journal says of them.
func (j *judge) acknowledged(*look) string {
	for _, r := range j.h.Records {
		if !r.Call.writes() {
			continue
		}
		a, rev := r.last().Answer, j.revision[r.Call.ID]
		nothing := a.Failed == "" && a == answer{} // a deletion that found nothing
		switch {
		case rev == 0 && r.ok() && !nothing:
			return fmt.Sprintf("the call %s was acknowledged, and the journal does not have it", describe(r))
		case rev > 0 && !r.ok() && !r.mayLater():
			return fmt.Sprintf("the call %s changed nothing by its answer, and it is revision %d", describe(r), rev)
		}
	}
	return ""
}

// compare compares what a new process found with the last state.
func (j *judge) compare(end *look) string {
	s := j.states[len(j.states)-1]
	var use workspace.Usage
	var versions, restorable int64
	for i, f := range s.files {
		have := end.Files[filePaths[i]]
		if have.Version != f.version || !slices.Equal(have.Texts, f.texts) || !slices.Equal(have.Numbers, f.numbers) ||
			have.Deleted != (f.version > 0 && !f.exists()) {
			return fmt.Sprintf("at the end, file %s is at version %d with %d versions: %s; expected version %d with "+
				"%d: %s",
				filePaths[i], have.Version, len(have.Texts), clip(fmt.Sprintf("%q",
					have.Texts)), f.version, len(f.texts), clip(fmt.Sprintf("%q", f.texts)))
		}
		if f.exists() {
			use.Files++
		}
		if f.deleted {
			use.DeletedBytes += size(f.texts)
		}
		if f.deleted && len(f.texts) > 0 {
			restorable++
		}
		use.Bytes += size(f.texts)
		versions += int64(len(f.texts))
	}
	for i, l := range s.logs {
		have := end.Logs[logPaths[i]]
		if have.Last != l.last || have.Exists != l.exists || !slices.Equal(have.Entries, l.entries) {
			return fmt.Sprintf("at the end, log %s has %d entries up to %d: %s; expected %d up to %d: %s",
				logPaths[i], len(have.Entries), have.Last, clip(fmt.Sprintf("%q",
					have.Entries)), len(l.entries), l.last, clip(fmt.Sprintf("%q", l.entries)))
		}
		if l.exists {
			use.Logs++
		}
		use.Entries += int64(len(l.entries))
		use.Bytes += size(l.entries)
	}
	use.Operations = end.State.Operations
	if end.State.Usage != use || end.State.Versions != versions || end.State.Restorable != restorable ||
		end.State.Changes != int64(len(end.Rows)) {
		return fmt.Sprintf("the counters are %+v, %d versions, %d deleted files and %d changes; expected %+v, %d, %d "+
			"and %d", end.State.Usage, end.State.Versions, end.State.Restorable, end.State.Changes, use, versions,
			restorable, len(end.Rows))
	}
	return ""
}

// --- linearizability

// An input is a call for porcupine.
type input struct {
	r        *record
	revision int64 // that the call made; 0: it changed nothing
	answer   answer
}

// linear asks porcupine whether one order explains all answers. The state of its model is a
// revision: what the agent has then is known.
func (j *judge) linear() (problem string, undecided bool) {
	ops := j.operations()
	switch porcupine.CheckOperationsTimeout(j.model(), ops, decideTime) {
	case porcupine.Illegal:
		return "the history is not linearizable: " + j.explain(ops), false
	case porcupine.Unknown:
		return "", true
	}
	return "", false
}

func (j *judge) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return int64(0) },
		Step: func(s, in, _ any) (bool, any) {
			at, i := s.(int64), in.(input)
			if i.revision > 0 {
				return at+1 == i.revision, i.revision
			}
			return j.explains(at, i), at
		},
	}
}

// explains reports whether the answer of a call that changed nothing is right at a revision.
func (j *judge) explains(at int64, i input) bool {
	return i.answer.same(answerAt(j.states[:at+1], i.r.Call))
}

// operations returns the calls that were done, and those that were answered. A call that
// was sent several times is one, from the first time to the answer.
func (j *judge) operations() (ops []porcupine.Operation) {
	add := func(r *record, i input, begin, end int64) {
		ops = append(ops, porcupine.Operation{ClientId: r.Client, Input: i, Call: begin, Return: end})
	}
	for _, r := range j.h.Records {
		first, last, rev := r.Attempts[0], r.last(), j.revision[r.Call.ID]
		switch {
		case rev > 0 && r.ok():
			add(r, input{r: r, revision: rev}, first.Begin, last.End)
		case rev > 0:
			add(r, input{r: r, revision: rev}, first.Begin, never)
		case r.ok(): // it read, or found nothing to delete
			add(r, input{r: r, answer: last.Answer}, first.Begin, last.End)
		}
		if last.Answer.refused() { // an attempt before may have been done, at any time
			add(r, input{r: r, answer: last.Answer}, last.Begin, last.End)
		}
	}
	return ops
}

// explain names a call that has no place in the order. It looks at each call alone, so it
// does not always find one.
func (j *judge) explain(ops []porcupine.Operation) string {
	for _, op := range ops {
		i := op.Input.(input)
		low, high := int64(0), int64(len(j.states)-1)
		for _, other := range ops {
			rev := other.Input.(input).revision
			if rev > 0 && other.Return < op.Call {
				low = max(low, rev)
			}
			if rev > 0 && other.Call > op.Return {
				high = min(high, rev-1)
			}
		}
		if i.revision > 0 {
			if i.revision <= low || i.revision > high+1 {
				return fmt.Sprintf("the call %s made revision %d, and by its time it had to be one of %d to %d",
					describe(i.r), i.revision, low+1, high+1)
			}
			continue
		}
		found := false
		var may []string
		for at := low; at <= high && !found; at++ {
			found = j.explains(at, i)
			may = append(may, fmt.Sprintf("%s at revision %d", show(answerAt(j.states[:at+1], i.r.Call)), at))
		}
		if !found {
			if len(may) > 3 {
				may = append(may[:3], "and so on")
			}
			return fmt.Sprintf("the call %s; by its time the answer had to be %s", describe(i.r),
				strings.Join(may, ", or "))
		}
	}
	return "the calls contradict each other: each alone could be right"
}

// rowText shows a row of the journal.
func rowText(c workspace.Change) string {
	return fmt.Sprintf("[%s %s %q from %q, %d to %d, %d entries]", c.Op, c.Kind, c.Path, c.From, c.Before, c.After,
		c.Entries)
}

// describe shows a call and its last answer.
func describe(r *record) string {
	c := r.Call
	text := fmt.Sprintf("%s (%s %s", c.ID, c.Do, c.Path)
	if c.To != "" {
		text += " to " + c.To
	}
	if c.If != nil {
		text += fmt.Sprintf(" if version %d", *c.If)
	}
	if c.Since > 0 || c.Do == doChanges {
		text += fmt.Sprintf(" since %d", c.Since)
	}
	a := r.last()
	if a.Answer.Failed == failedWrong {
		return fmt.Sprintf("%s) on %s", text, a.Server)
	}
	return fmt.Sprintf("%s) on %s, answered %s", text, a.Server, show(a.Answer))
}

func show(a answer) string {
	if a.Failed != "" {
		return a.Failed
	}
	return fmt.Sprintf("[%d, %d, %q]", a.Number, a.Count, clip(a.Text))
}
