package handoffs_test

import "testing"

func TestZZ(t *testing.T) {
	p := play(t, "X-36-ageing.yaml").run(`{}`)
	for i, s := range p.story() {
		if i < 60 { t.Log(s) }
	}
}
