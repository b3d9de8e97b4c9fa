package handoffs

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// BriefInput is what a specialist is told. What is empty has no section.
type BriefInput struct {
	Request      string          // what the user wants
	Why          string          // why the specialist was asked
	Task         string          // what it is to do
	Capabilities []string        // that are needed
	Completed    map[string]any  // what was done and found out, as package state keeps any
	History      []state.Message // the conversation
	Last         int             // how many messages of it are quoted; 0: 5; less: none
}

// Brief writes what a specialist is told: the original request, why it was
// asked, its task, the capabilities that are needed, the work that was done as
// JSON, the last messages, and how to end.
func Brief(in BriefInput) string {
	var b briefText
	b.section("Original request", in.Request)
	b.section("Why you were asked", in.Why)
	b.section("Your task", in.Task)
	b.section("Capabilities needed", briefList(in.Capabilities))
	if len(in.Completed) > 0 {
		b.json("Work done so far", completedJSON(in.Completed))
	}
	b.section("Last messages", formatHistory(in.History, lastSaid(in.History, in.Last)))
	b.paragraph("Do your task with what is said here. End with a result that the one who asked you can go on with: what you did, what came of it, and what is still open.")
	return b.String()
}

// completedJSON writes what was done; of what JSON cannot keep it tells why.
func completedJSON(done map[string]any) []byte {
	w := lenient(0)
	for w.Pass() {
		w.MustValues("", done)
	}
	problems := w.told()
	if problems == nil {
		return w.Buf
	}
	var bad codec
	start := bad.Open("")
	bad.Texts(`,"unreadable":`, problems)
	bad.Shut(start)
	return bad.Buf
}

func briefList(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "- " + strings.Join(items, "\n- ")
}

// lastSaid returns where the last messages begin that can be quoted.
func lastSaid(ms []state.Message, n int) int {
	if n == 0 {
		n = 5
	}
	i := len(ms)
	for ; i > 0 && n > 0; i-- {
		if historyRole(&ms[i-1]) != "" {
			n--
		}
	}
	return i
}

// briefText is a text of titled sections.
type briefText struct{ strings.Builder }

// section writes a section that is not empty.
func (b *briefText) section(title, text string) {
	if text != "" {
		b.paragraph("## " + title + "\n" + text)
	}
}

func (b *briefText) paragraph(text string) {
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString(text)
}

// json writes a section of JSON, indented.
func (b *briefText) json(title string, raw []byte) {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") == nil {
		raw = out.Bytes()
	}
	b.section(title, "```json\n"+string(raw)+"\n```")
}
