package graphfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// include reads the graph of another file; nil if it cannot be used.
func (d *decoder) include(name string, at source.Pos) *graphSpec {
	target, ok := d.locate(name, at)
	if !ok {
		return nil
	}
	f, ok := d.included(target, at)
	if !ok || !d.fits(f, target, at) {
		return nil
	}
	d.around = append(d.around, target)
	inner := &decoder{loader: d.loader, text: d.report(f), kit: d.kit}
	g := inner.graph(f.Root)
	d.around = d.around[:len(d.around)-1]
	return g
}

// locate makes the path of an included file, and reports one that must not be
// followed.
func (d *decoder) locate(name string, at source.Pos) (string, bool) {
	switch {
	case strings.TrimSpace(name) == "":
		d.rep.Errorf(at, `"file": a path is needed`)
		return "", false
	case filepath.IsAbs(name) || strings.HasPrefix(name, "/"):
		d.rep.Errorf(at, `"file": the path %q must begin at this file's directory`, name).Hint = "write a path like teams/research.yaml"
		return "", false
	}
	target := d.clean(d.beside(d.file.Name, name))
	if i := slices.Index(d.around, target); i >= 0 {
		circle := append(slices.Clone(d.around[i:]), target)
		d.rep.Errorf(at, "the file includes itself: %s", strings.Join(circle, " → "))
		return "", false
	}
	if len(d.around) >= mostFiles {
		d.rep.Errorf(at, "more than %d files are included inside one another", mostFiles)
		return "", false
	}
	return target, true
}

// included returns the tree of an included file, which is read once.
func (d *decoder) included(target string, at source.Pos) (*source.File, bool) {
	if f, ok := d.files[target]; ok {
		return f, f != nil
	}
	d.files[target] = nil
	data, err := d.readRegular(target)
	if err != nil {
		d.rep.Errorf(at, "%q cannot be read: %s", target, cause(err))
		return nil, false
	}
	d.sizes[target] = len(data)
	f, err := source.Parse(target, data, source.Limits{Bytes: mostBytes, Nodes: mostValues})
	d.found = append(d.found, source.Of(err)...)
	d.files[target] = f
	return f, f != nil
}

// readRegular reads an included file, which must be no device or pipe: those
// may never end or never begin.
func (l *loader) readRegular(name string) ([]byte, error) {
	var info fs.FileInfo
	var err error
	if l.opt.FS != nil {
		info, err = fs.Stat(l.opt.FS, name)
	} else {
		info, err = os.Stat(name)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, err
	}
	return l.read(name)
}

// cause is an error's text without the path, which the message has.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// fits counts an included file, and reports when the bounds are passed.
func (d *decoder) fits(f *source.File, target string, at source.Pos) bool {
	d.bytes += d.sizes[target]
	d.values += values(f.Root)
	switch {
	case d.bytes > mostBytes:
		d.rep.Errorf(at, "with %q the files have more than %d bytes together, each counted as often as it is included", target, mostBytes)
	case d.values > mostValues:
		d.rep.Errorf(at, "with %q the files have more than %d values together, each counted as often as it is included", target, mostValues)
	default:
		return true
	}
	return false
}
