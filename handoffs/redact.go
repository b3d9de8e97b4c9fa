package handoffs

import (
	"regexp"
	"strings"
	"sync"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// NewRedactor returns a Redactor that replaces what the patterns match by
// Redacted. Without patterns it changes nothing; nil ones are passed over. A
// pattern is tried on every text that is stored, so it should begin with
// letters, which are found quickly.
func NewRedactor(patterns ...*regexp.Regexp) Redactor {
	var r patternRedactor
	for _, p := range patterns {
		if p != nil {
			r.secrets = append(r.secrets, secretPattern{find: p, put: Redacted})
		}
	}
	return &r
}

// DefaultRedactor returns a Redactor for secrets that are known by their form:
// bearer tokens, basic authorization, API keys (sk-…, AIza…), tokens of GitHub
// and Slack, AWS keys, JSON web tokens, passwords in URLs, private key blocks,
// and what is assigned to a password, secret or key. Of payloads it also
// replaces what is under keys as password, secret, api_key and authorization.
// It cannot know secrets that look like any other text.
func DefaultRedactor() Redactor {
	return &patternRedactor{secrets: knownSecrets(), keys: true}
}

// secretPattern finds one sort of secrets.
type secretPattern struct {
	hints []string // one of them is in every text that has the secret; nil: not known
	find  *regexp.Regexp
	put   string
}

// knownSecrets are made when they are first needed.
var knownSecrets = sync.OnceValue(func() []secretPattern {
	return []secretPattern{
		{[]string{"-----BEGIN"}, regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-----|\z)`), Redacted},
		{[]string{"://"}, regexp.MustCompile(`(://[^/\s:@"']*:)[^/\s"'@]+@`), "${1}" + Redacted + "@"},
		{[]string{"uthorization", "UTHORIZATION"}, regexp.MustCompile(`((?i:authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?))[^\s"',;]{4,}`), "${1}" + Redacted},
		{[]string{"earer ", "EARER "}, regexp.MustCompile(`\b((?i:bearer)\s+)[A-Za-z+/._~-]*[0-9][A-Za-z0-9+/._~-]{6,}=*`), "${1}" + Redacted},
		{[]string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), Redacted},
		{[]string{"sk-", "sk_", "rk_"}, regexp.MustCompile(`\b(?:sk-|[sr]k_)[A-Za-z0-9_-]{16,}`), Redacted},
		{[]string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), Redacted},
		{[]string{"AIza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`), Redacted},
		{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`), Redacted},
		{[]string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), Redacted},
		{[]string{"=", `":`, `':`}, regexp.MustCompile(`((?i:password|passwd|secret|api[_-]?key|access[_-]?key|access[_-]?token)(?:=\s*["']?| = ["']?|["']\s*:\s*["']))[^\s"',;&]{4,}`), "${1}" + Redacted},
		{[]string{":"}, regexp.MustCompile(`(?m)^([ \t-]*(?i:password|passwd|secret|api[_-]?key|access[_-]?key|access[_-]?token):[ \t]+)[^\s"']{4,}[ \t]*$`), "${1}" + Redacted},
	}
})

// patternRedactor replaces what its patterns match.
type patternRedactor struct {
	secrets []secretPattern
	keys    bool // texts under the names of secrets are secrets
}

// Redact returns the text without its secrets.
func (r *patternRedactor) Redact(text string) string {
	for i := range r.secrets {
		s := &r.secrets[i]
		if s.hinted(text) && s.find.MatchString(text) {
			text = s.find.ReplaceAllString(text, s.put)
		}
	}
	return text
}

func (s *secretPattern) hinted(text string) bool {
	for _, hint := range s.hints {
		if strings.Contains(text, hint) {
			return true
		}
	}
	return s.hints == nil
}

// secretKey reports whether what a payload has under a key is a secret by the
// key's name.
func (r *patternRedactor) secretKey(key string) bool {
	if !r.keys || len(key) < 6 || len(key) > 24 {
		return false
	}
	letters := make([]byte, 0, 24)
	for _, c := range []byte(key) {
		if c != '_' && c != '-' && c != ' ' {
			letters = append(letters, c|0x20)
		}
	}
	switch string(letters) {
	case "password", "passwd", "passphrase", "secret", "clientsecret", "apikey", "accesskey", "secretkey", "secretaccesskey", "awssecretaccesskey",
		"accesstoken", "refreshtoken", "authtoken", "authorization", "privatekey", "credentials":
		return true
	}
	return false
}
