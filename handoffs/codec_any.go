package handoffs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// member is an entry of a map with the key as it is sorted by.
type member[V any] struct {
	key   string
	value V
}

// sortMembers returns the entries of a map, sorted by key, in room if they fit.
func sortMembers[K ~string, V any](room []member[V], m map[K]V) []member[V] {
	for k, v := range m {
		room = append(room, member[V]{string(k), v})
	}
	if len(room) > 16 {
		slices.SortFunc(room, func(a, b member[V]) int { return strings.Compare(a.key, b.key) })
		return room
	}
	for i := 1; i < len(room); i++ {
		for j := i; j > 0 && room[j].key < room[j-1].key; j-- {
			room[j], room[j-1] = room[j-1], room[j]
		}
	}
	return room
}

// key writes a map's key with the comma before and the colon behind.
func (c *codec) key(k string) {
	c.put(",")
	c.must("", k)
	c.put(":")
}

// counts writes a map of numbers that is not empty.
func (c *codec) counts(key string, m map[string]int) {
	if len(m) == 0 {
		return
	}
	var room [16]member[int]
	start := c.open(key)
	for _, e := range sortMembers(room[:0], m) {
		c.key(e.key)
		c.mustWhole("", int64(e.value))
	}
	c.shut(start)
}

// value writes a value as package state keeps any; nil is left out.
func (c *codec) value(key string, v any) {
	if v == nil {
		return
	}
	c.put(key)
	c.into(key, -1)
	c.any(v)
	c.out()
}

// values writes a map of such values that is not empty.
func (c *codec) values(key string, m map[string]any) {
	if len(m) > 0 {
		c.mustValues(key, m)
	}
}

// mustValues writes a map of any values; nil is null.
func (c *codec) mustValues(key string, m map[string]any) {
	if m == nil {
		c.put(key)
		c.put("null")
		return
	}
	var room [8]member[any]
	start := c.open(key)
	if !c.failed { // else it may be without end
		for _, e := range sortMembers(room[:0], m) {
			c.key(e.key)
			c.into(e.key, -1)
			c.any(e.value)
			c.out()
		}
	}
	c.shut(start)
}

// any writes a value of any in the form in which it comes back.
func (c *codec) any(v any) {
	switch x := v.(type) {
	case nil:
		c.put("null")
	case string:
		c.must("", x)
	case bool:
		c.mustFlag("", x)
	case int64:
		c.mustWhole("", x)
	case float64:
		c.float(x)
	case []any:
		c.anyList(x)
	case map[string]any:
		if x == nil {
			x = map[string]any{} // as an empty one comes back, and nil is not
		}
		c.mustValues("", x)
	case int:
		c.fail("", fmt.Sprintf("int %d comes back as int64: write int64(%d)", x, x))
	default:
		c.fail("", fmt.Sprintf("a %T in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any", v))
	}
}

func (c *codec) anyList(list []any) {
	if c.failed { // it may be without end
		return
	}
	c.mustList("", len(list), func(i int) { c.any(list[i]) })
}

func (c *codec) float(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		c.fail("", strconv.FormatFloat(f, 'g', -1, 64)+" is not a number that JSON can hold")
	case !c.look:
		c.buf = appendJSONFloat(c.buf, f)
	}
}
