package expression

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"encoding/base64"
)

// plainText is a null, bool or number as text.
func plainText(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return floatText(v)
	}
	return "null"
}

// floatText is a float as JSON and JavaScript print it.
func floatText(x float64) string {
	size := math.Abs(x)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		text := strconv.FormatFloat(x, 'e', -1, 64)
		return strings.Replace(text, "e-0", "e-", 1)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// textOf is a value as it is put into a text: a string as it is, null as
// null, a list or map as JSON on one line with sorted keys.
func textOf(b *budget, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case []any, map[string]any:
		return encode(b, v, "")
	}
	return plainText(value), nil
}

// encode writes a value as JSON, after it has paid for the size.
func encode(b *budget, value any, indent string) (string, error) {
	if err := payForJSON(b, value, len(indent), 0); err != nil {
		return "", err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return "", faultf("the value cannot be written as JSON: %v", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// payForJSON takes the size of a value's JSON off the budget.
func payForJSON(b *budget, value any, indent, depth int) error {
	if depth > maxDepth {
		return limitf("the value is nested more than %d deep", maxDepth)
	}
	around := 4 + indent*(depth+1)
	switch v := value.(type) {
	case string:
		return b.take(around + jsonSize(v))
	case []any:
		for _, element := range v {
			if err := payForJSON(b, element, indent, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		// The sum is the same in any order; sorting is paid for here.
		if err := b.spend(16 * len(v)); err != nil {
			return err
		}
		for key, element := range v {
			if err := b.take(around + jsonSize(key)); err != nil {
				return err
			}
			if err := payForJSON(b, element, indent, depth+1); err != nil {
				return err
			}
		}
	default:
		return b.take(around + 24)
	}
	return b.take(around)
}

// jsonSize is the size of a string's JSON at most; a control character is
// written with six bytes.
func jsonSize(text string) int {
	size := len(text)
	for i := range len(text) {
		if text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] >= utf8.RuneSelf {
			size += 5
		}
	}
	return size
}

// codecFunction finds the functions that write and read other notations.
func codecFunction(name string) *function {
	text := Type{Kind: String}
	switch name {
	case "toJSON":
		return unary(anything, text, func(f *frame, x any) (any, error) { return encode(&f.budget, x, "  ") })
	case "fromJSON":
		return unary(texts, Type{}, fromJSON)
	case "toBase64":
		return unary(texts, text, func(f *frame, x any) (any, error) {
			bytes := []byte(x.(string))
			if err := f.budget.take(2 * len(bytes)); err != nil {
				return nil, err
			}
			return base64.StdEncoding.EncodeToString(bytes), nil
		})
	case "fromBase64":
		return unary(texts, text, fromBase64)
	}
	return nil
}

func fromBase64(f *frame, x any) (any, error) {
	text := x.(string)
	if err := f.budget.take(len(text)); err != nil {
		return nil, err
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, faultf("%.40q is not Base64: %v", text, err)
	}
	if !utf8.Valid(decoded) {
		return nil, faultf("the Base64 text holds bytes that are not UTF-8 text")
	}
	return string(decoded), nil
}

func fromJSON(f *frame, x any) (any, error) {
	text := x.(string)
	// A value takes several times the bytes of its text.
	if len(text) > maxMemory/16 {
		return nil, f.budget.take(maxMemory + 1)
	}
	if err := f.budget.take(16 * len(text)); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, faultf("%.40q is not JSON: %v", text, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, faultf("%.40q is not JSON: there is more behind the value", text)
	}
	return normalise(value, 0)
}
