package langchain_test

import "testing"

// defect is one row of the table of what the clients of langchaingo do wrong. Each
// row runs twice against a server: bare tells that the defect is still there,
// adapted that the adapter makes right behaviour or a clear error of it.
type defect struct {
	name          string
	bare, adapted func(t *testing.T)
}

func TestDefects(t *testing.T) {
	for _, wire := range []struct {
		name string
		rows []defect
	}{
		{"openai", openaiParameters()}, {"openai", openaiMessages()}, {"openai", openaiStreams()}, {"openai", openaiFailures()},
		{"anthropic", anthropicSending()}, {"anthropic", anthropicParameters()}, {"anthropic", anthropicAnswers()}, {"anthropic", anthropicFailures()}, {"ollama", ollamaRows()},
	} {
		for _, row := range wire.rows {
			t.Run(wire.name+"/"+row.name, func(t *testing.T) {
				t.Run("bare", row.bare)
				t.Run("adapted", row.adapted)
			})
		}
	}
}
