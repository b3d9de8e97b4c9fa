package cli

import (
	"encoding/json"
	"strings"
)

// shellQuote writes a word so that a shell takes it as it is.
func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,@+%=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// fileWord writes the name of a file so that it is not taken for a flag.
func fileWord(name string) string {
	if strings.HasPrefix(name, "-") && name != "-" {
		name = "./" + name
	}
	return shellQuote(name)
}

// quoted is a text as JSON.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return text // it never fails for a text
	}
	return string(data)
}

// goOn is the command line that goes on with the run's thread.
func (r *runner) goOn(answer string) string {
	words := []string{"graphrun", "resume", fileWord(r.file)}
	if r.kept.chosen {
		words = append(words, "--store", shellQuote(r.kept.text))
	}
	words = append(words, "--thread", shellQuote(r.thread))
	if r.changes {
		words = append(words, "--allow-changes")
	}
	words = append(words, r.means.words()...)
	if answer != "" {
		words = append(words, "--answer", shellQuote(answer))
	}
	return strings.Join(words, " ")
}
