package jsonwrite

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// asEncodingJSON is what encoding/json makes of a value.
func asEncodingJSON(t testing.TB, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

func requireText(t testing.TB, text string) {
	want := asEncodingJSON(t, text)
	got, valid := AppendText([]byte("before"), text)
	got = bytes.TrimPrefix(got, []byte("before"))
	require.Equal(t, utf8.ValidString(text), valid, "%q", text)
	if valid {
		require.Equal(t, want, string(got))
	} else { // encoding/json escapes what stands for wrong bytes, or not
		require.JSONEq(t, want, string(got))
	}
}

var someTexts = []string{
	"", "plain", "12345678", "plain text of some length", "1234567\"", "12345678\"", "1234567ü", "\"\\/\b\f\n\r\t\x00\x1f\x7f",
	"üé😀\u2028\u2029\ufffd", "<&>'", "a\xffb\xc3", "\xe2\x80", "12345678\x1f", "1234567\\",
}

func TestTextsAreWrittenAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	for _, text := range someTexts {
		requireText(t, text)
	}
}

func FuzzTextsAreWrittenAsEncodingJSONDoes(f *testing.F) {
	for _, text := range someTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { requireText(t, text) })
}

func TestPlainUntilFindsTheFirstByteToEscape(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 20)
	require.Equal(t, 20, PlainUntil(text, 0))
	require.Equal(t, 20, PlainUntil([]byte(text), 20))
	for at := range text {
		for _, c := range []byte{0, 0x1f, '"', '\\', 0x80, 0xff} {
			other := []byte(text)
			other[at] = c
			require.Equal(t, at, PlainUntil(other, 0))
			require.Equal(t, 20, PlainUntil(other, at+1))
		}
	}
}

func TestFloatsKeepAFraction(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{0: "0.0", 3: "3.0", -1.5: "-1.5", 1e-9: "1e-09", 1e300: "1e+300", 1e20: "100000000000000000000.0"} {
		got := AppendFloat(nil, f)
		require.Equal(t, want, string(got))
		back, err := state.ParseAny(got)
		require.NoError(t, err)
		require.Equal(t, f, back)
	}
	require.Equal(t, "-0.0", string(AppendFloat(nil, math.Copysign(0, -1))))
}

func TestTimesAreWrittenAsByPackageTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		at := time.Unix(random.Int64N(300_000_000_000)-62_000_000_000, random.Int64N(1e9))
		at = at.In([]*time.Location{time.UTC, time.FixedZone("", 3600*random.IntN(12))}[i%2])
		at = at.Truncate([]time.Duration{1, time.Microsecond, 100 * time.Millisecond, time.Second}[i/2%4])
		want, wrong := at.AppendText(nil)
		got, err := AppendTime(nil, at)
		require.Equal(t, wrong, err)
		require.Equal(t, string(want), string(got))

		look := Writer{Look: true}
		look.MustTime("", at)
		require.Equal(t, wrong != nil, look.failed, at)
	}
}
