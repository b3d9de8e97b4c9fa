package llmstub

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// models lists the models that the script names.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	on := wireOf(r)
	if _, status, why := on.admit(r); why != nil {
		on.fail(w, status, *why)
		return
	}
	names := map[string]bool{}
	for _, reply := range s.script.Replies {
		names[reply.When.Model], names[reply.Model] = true, true
	}
	delete(names, "")
	list := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, map[string]any{"id": name, "object": "model", "type": "model", "created": created, "owned_by": "llmstub", "display_name": name})
	}
	jsonHeader(w)
	fmt.Fprintln(w, asJSON(map[string]any{"object": "list", "data": list, "has_more": false}))
}
