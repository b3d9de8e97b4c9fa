package plan_test

// input is what the user says.
func (r *reference) input(string) string { return r.run(nil) }
