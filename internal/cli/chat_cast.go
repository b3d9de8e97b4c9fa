package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
)

// cast is who may speak in a conversation.
type cast struct {
	agents *handoffs.Registry // nil: there are none
	deep   bool               // the terminal has all colours
}

func newCast(f *graphfile.File, colorterm string) cast {
	c := cast{deep: colorterm == "truecolor" || colorterm == "24bit"}
	if team := f.Team(); team != nil {
		c.agents = team.Manager().Policy().Registry
	}
	return c
}

// label is what stands before what somebody says: their icon, if it is a sign
// and no word, and their name, in their colour.
func (c *cast) label(k ink, agent string) string {
	p, ok := c.agents.Get(agent)
	if !ok {
		p = &handoffs.Profile{Name: agent}
		if agent == "" {
			p.Name = "ai"
		}
	}
	text := oneLine(p.Title()) + ":"
	if icon := oneLine(p.Icon); icon != "" && !strings.ContainsFunc(icon, isWordRune) {
		text = icon + " " + text
	}
	return k.in(c.code(p.Color), text)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// code is how a terminal is told of a colour; bold where it is not known.
func (c *cast) code(color string) string {
	color = strings.ToLower(strings.TrimSpace(color))
	for i, name := range []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"} {
		if color == name {
			return "1;" + strconv.Itoa(30+i)
		}
	}
	r, g, b, ok := hexColor(color)
	switch {
	case !ok:
		return "1"
	case c.deep:
		return fmt.Sprintf("1;38;2;%d;%d;%d", r, g, b)
	}
	return fmt.Sprintf("1;38;5;%d", 16+36*level(r)+6*level(g)+level(b))
}

// level is the nearest of the six levels 0, 95, 135, 175, 215 and 255 that
// terminals with 256 colours have.
func level(v uint64) uint64 {
	switch {
	case v < 48:
		return 0
	case v < 115:
		return 1
	}
	return (v - 35) / 40
}

// hexColor reads #rgb and #rrggbb.
func hexColor(text string) (r, g, b uint64, ok bool) {
	hex, ok := strings.CutPrefix(text, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if !ok || len(hex) != 6 || err != nil {
		return 0, 0, 0, false
	}
	return n >> 16, n >> 8 & 0xff, n & 0xff, true
}
