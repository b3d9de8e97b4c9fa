// Package openai is a model.Model of OpenAI's chat completions, and of the many
// servers that speak their wire form: Ollama, vLLM, llama.cpp, LM Studio, Groq,
// OpenRouter, DeepSeek, Mistral.
//
//	m, err := openai.New(openai.Config{Name: "gpt-5-mini", Key: key})
//	m, err := openai.New(openai.Config{Name: "qwen3", BaseURL: "http://localhost:11434/v1"})
//
// Requests are made with the official client, which here reads nothing of the
// environment and sends nothing twice; retrying is for a model around this one.
//
// # What servers do otherwise
//
// Pieces of tool calls belong to the call of their index, to that of their id
// where the index is missing or the same for all, and to the last one where
// neither says. Arguments that are no JSON object are Malformed. Thoughts come
// as reasoning_content or reasoning; they are not sent back. A server that does
// not stream is understood. An answer without [DONE] and without a finish_reason
// is Cut. An answer that ends at its bound keeps only the calls that are whole.
package openai
