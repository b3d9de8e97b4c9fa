package cli

// ink writes in colour if it is on.
type ink bool

// inkFor decides whether a stream is written in colour. NO_COLOR forbids it,
// CLICOLOR_FORCE demands it; else terminals have it that are not dumb.
func (e *Env) inkFor(terminal bool) ink {
	switch force := e.Getenv("CLICOLOR_FORCE"); {
	case e.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return ink(terminal && e.Getenv("TERM") != "dumb" && e.Getenv("CLICOLOR") != "0")
}

func (k ink) in(code, text string) string {
	if !k || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (k ink) bold(text string) string   { return k.in("1", text) }
func (k ink) dim(text string) string    { return k.in("2", text) }
func (k ink) red(text string) string    { return k.in("31", text) }
func (k ink) green(text string) string  { return k.in("32", text) }
func (k ink) yellow(text string) string { return k.in("33", text) }
func (k ink) cyan(text string) string   { return k.in("36", text) }
