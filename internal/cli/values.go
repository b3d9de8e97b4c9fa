package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// value is a JSON value that keeps the order of its keys.
type value struct {
	kind  byte   // '{', '[', or 's' for a scalar
	text  string // of a scalar: as it is written
	keys  []string
	items []value
}

// parseValue reads a JSON text.
func parseValue(data []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readValue(d)
}

func readValue(d *json.Decoder) (value, error) {
	t, err := d.Token()
	if err != nil {
		return value{}, fmt.Errorf("read values: %w", err)
	}
	switch t := t.(type) {
	case json.Delim:
		return readInside(d, value{kind: byte(t)})
	case string:
		return value{kind: '"', text: t}, nil
	case nil:
		return value{kind: 's', text: "null"}, nil
	}
	return value{kind: 's', text: fmt.Sprint(t)}, nil
}

// readInside reads a map or a list to its end.
func readInside(d *json.Decoder, v value) (value, error) {
	for d.More() {
		if v.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return value{}, fmt.Errorf("read values: %w", err)
			}
			v.keys = append(v.keys, key.(string))
		}
		item, err := readValue(d)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.Token()
	return v, err
}
