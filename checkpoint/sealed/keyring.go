package sealed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
)

// ErrKey is behind errors about something sealed that none of the keys can
// open: the key is missing, or is another one of the same name. What is stored
// may be all right.
var ErrKey = errors.New("no key to open what is sealed")

// KeySize is how many bytes a key has that seals.
const KeySize = 32

// Config says how New and NewItems seal what is stored.
type Config struct {
	// Key is the id of the key that seals from now on.
	Key string
	// Keys are the keys by their ids, KeySize random bytes each: the one that
	// seals, and all older ones that there are still things to open for. An
	// id has 1 to 255 bytes and is stored readable, with all that it sealed.
	Keys map[string][]byte
	// PlainRows lets commits have rows. They are stored as they are, for a
	// sealed row could not be asked for. False: commits with rows are refused.
	PlainRows bool
}

// keyring is the keys of a Config, ready for use.
type keyring struct {
	current *sealKey
	byID    map[string]*sealKey
}

type sealKey struct {
	id     string
	secret []byte
	header []byte // of all that the key seals
}

// newKeyring tells all that is wrong with a config, as ErrInvalid.
func newKeyring(cfg *Config) (*keyring, error) {
	if cfg == nil {
		cfg = &Config{}
	}
	r := &keyring{byID: map[string]*sealKey{}}
	var problems []error
	for _, id := range slices.Sorted(maps.Keys(cfg.Keys)) {
		if len(id) < 1 || len(id) > 255 {
			problems = append(problems, fmt.Errorf("the id of key %q has %d bytes; 1 to 255 will do", id, len(id)))
			continue
		}
		if n := len(cfg.Keys[id]); n != KeySize {
			problems = append(problems, fmt.Errorf("key %q has %d bytes, not %d", id, n, KeySize))
		}
		r.byID[id] = newSealKey(id, slices.Clone(cfg.Keys[id]))
	}
	if r.current = r.byID[cfg.Key]; r.current == nil {
		problems = append(problems, fmt.Errorf("key %q, which is to seal, is not among the keys %q", cfg.Key, r.ids()))
	}
	return r, invalid(problems)
}

func (r *keyring) ids() []string { return slices.Sorted(maps.Keys(r.byID)) }

// What is sealed begins with a header: the format's number, the length of the
// key's id, the id, the key's print, and a sum over all that. The sum tells
// damage from a key that is missing, the print a key that is another one.
const (
	sealFormat = 1
	printSize  = 4
	sumSize    = 4
)

func newSealKey(id string, secret []byte) *sealKey {
	print := hmac.New(sha256.New, secret)
	print.Write([]byte("graphrun checkpoint key"))
	header := append([]byte{sealFormat, byte(len(id))}, id...)
	header = append(header, print.Sum(nil)[:printSize]...)
	header = binary.BigEndian.AppendUint32(header, crc32.ChecksumIEEE(header))
	return &sealKey{id: id, secret: secret, header: header}
}

// find returns the key that sealed something, and what is behind the header.
func (r *keyring) find(sealed []byte) (*sealKey, []byte, error) {
	if len(sealed) < 2 || sealed[0] != sealFormat {
		return nil, nil, fmt.Errorf("%w: it does not begin as what is sealed does", checkpoint.ErrCorrupt)
	}
	end := 2 + int(sealed[1]) + printSize
	if len(sealed) < end+sumSize || crc32.ChecksumIEEE(sealed[:end]) != binary.BigEndian.Uint32(sealed[end:]) {
		return nil, nil, fmt.Errorf("%w: the head of what is sealed does not add up", checkpoint.ErrCorrupt)
	}
	id := string(sealed[2 : end-printSize])
	key := r.byID[id]
	switch {
	case key == nil:
		return nil, nil, fmt.Errorf("%w: it was sealed with key %q, which is not among the keys %q", ErrKey, id, r.ids())
	case string(key.header) != string(sealed[:end+sumSize]):
		return nil, nil, fmt.Errorf("%w: the key that is called %q here is not the one that sealed it", ErrKey, id)
	}
	return key, sealed[end+sumSize:], nil
}

// invalid joins problems to one error; nil if there are none.
func invalid(problems []error) error {
	if problems == nil {
		return nil
	}
	return fmt.Errorf("sealed: %w: %w", checkpoint.ErrInvalid, errors.Join(problems...))
}
