package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	keys := []string{"update", "goto", "send", "sleep", "fail", "interrupt", "interrupt_before", "interrupt_after", "cases", "to", "max_attempts"}
	cases := []struct{ name, want string }{
		{"updaet", "update"},
		{"udpate", "update"},
		{"UPDATE", "update"},
		{"goot", "goto"},
		{"go_to", "goto"},
		{"sned", "send"},
		{"interupt", "interrupt"},
		{"interrupts_bfore", "interrupt_before"},
		{"max-attempts", "max_attempts"},
		{"maxAttempts", "max_attempts"},
		{"case", "cases"},
		{"ot", "to"},
		{"To", "to"},
		{"T", ""},
		{"", ""},
		{"update", ""},
		{"edges", ""},
		{"totally different", ""},
		{strings.Repeat("update", 100), ""},
	}
	for _, c := range cases {
		got, ok := source.Nearest(c.name, keys)
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.want != "", ok, c.name)
	}
}

func TestNearestIsSettled(t *testing.T) {
	t.Parallel()
	names := []string{"node_c", "node_a", "node_b"}
	for range 2 {
		got, _ := source.Nearest("node_x", names)
		assert.Equal(t, "node_a", got)
		slices.Reverse(names)
	}
	got, ok := source.Nearest("größe", []string{"grösse", "größer", "x"})
	assert.True(t, ok)
	assert.Equal(t, "größer", got)
}
