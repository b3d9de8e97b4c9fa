package cli

// listing writes things one after the other: as the rows of a table, as lines
// of JSON or as a JSON list.
type listing struct {
	app   *app
	form  string
	table table
	count int
}

// listing begins a list of things with the given columns.
func (o *onThread) listing(columns ...string) *listing {
	return newListing(o.app, o.output.value, columns)
}

func newListing(a *app, form string, columns []string) *listing {
	return &listing{app: a, form: form, table: table{ink: a.inkFor(a.Terminal.Stdout), rows: [][]string{columns}}}
}

// add adds a thing, of which row is what people see.
func (l *listing) add(thing any, row ...string) error {
	l.count++
	switch l.form {
	case "text":
		l.table.rows = append(l.table.rows, row)
		return nil
	case "jsonl":
		return l.app.writeJSON(thing)
	}
	begin := ",\n "
	if l.count == 1 {
		begin = "["
	}
	return l.writeItem(begin, thing)
}

func (l *listing) writeItem(begin string, thing any) error {
	text, err := jsonOf(thing)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	_, err = l.app.Stdout.Write(append([]byte(begin), text...))
	return unwritten(err)
}

// end writes what is left.
func (l *listing) end() error {
	text := ""
	switch {
	case l.form == "text" && l.count > 0:
		text = l.table.String()
	case l.form == "json" && l.count == 0:
		text = "[]\n"
	case l.form == "json":
		text = "]\n"
	}
	_, err := l.app.Stdout.Write([]byte(text))
	return unwritten(err)
}
