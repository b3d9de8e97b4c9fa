package state

// Conversation is a part of the state that most agents share: embed it in the
// state's struct and give ConversationFields to the schema.
type Conversation struct {
	Messages    []Message `json:"messages"`
	ActiveAgent string    `json:"active_agent"`
}

// ConversationGroup holds the handles of a Conversation. It is itself an
// argument of NewSchema.
type ConversationGroup[S any] struct {
	Messages *Messages[S]
	Active   *Value[S, string]
}

// ConversationFields makes the handles of the Conversation that ref returns.
// Their names are "messages" and "active_agent".
func ConversationFields[S any](ref func(*S) *Conversation) ConversationGroup[S] {
	return ConversationGroup[S]{
		Messages: NewMessages("messages", func(s *S) *[]Message { return &ref(s).Messages }),
		Active:   NewValue("active_agent", func(s *S) *string { return &ref(s).ActiveAgent }),
	}
}

func (g ConversationGroup[S]) columns(s *S) []*column {
	return group[S]{g.Messages, g.Active}.columns(s)
}
