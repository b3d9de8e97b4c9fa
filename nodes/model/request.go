package model

import (
	"encoding/json"

	"github.com/graphrun/graphrun/state"
)

// Request is what a model is asked. Its JSON form is canonical: two requests
// that ask the same have the same bytes, whatever ids and times their messages
// carry for the program's own use.
type Request struct {
	// Messages are the conversation, instructions in front as a system message.
	// They must be as the model's provider takes them: see package transcript.
	Messages []state.Message
	Tools    []Tool
	// Choice says whether tools are called; "": the model decides.
	Choice Choice
	// OneCall asks for at most one tool call. Not every provider heeds it.
	OneCall bool
	// Schema is a JSON Schema that the answer's text should fit; nil: any text.
	// Where the provider cannot be held to it the answer may not fit.
	Schema *Schema

	MaxTokens   int      // of the answer; 0: the adapter's default
	Temperature *float64 // nil: the provider's default
	TopP        *float64 // nil: the provider's default
	Stop        []string // texts that end the answer
	Seed        *int64   // nil: none
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string          `json:"name"` // letters, digits, "_" and "-", at most 64
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the arguments, an object's; nil: any object
}

// Schema is a JSON Schema with a name.
type Schema struct {
	Name   string          `json:"name"` // letters, digits, "_" and "-"; "": "answer"
	Schema json.RawMessage `json:"schema"`
}

// Choice says whether a model calls tools: one of the constants, or the name of
// a tool that it must call.
type Choice string

// The choices that are no tool's name.
const (
	ChoiceAuto     Choice = ""           // as the model likes
	ChoiceNone     Choice = "-none-"     // no tool
	ChoiceRequired Choice = "-required-" // at least one, whichever
)

// Named returns the tool that must be called, if the choice names one.
func (c Choice) Named() (tool string, ok bool) {
	switch c {
	case ChoiceAuto, ChoiceNone, ChoiceRequired:
		return "", false
	}
	return string(c), true
}
