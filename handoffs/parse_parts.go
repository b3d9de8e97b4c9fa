package handoffs

// branch reads a branch of a spawn.
func (r *jsonReader) branch() (b Branch) {
	if r.next() != '{' {
		r.wrongType("map")
		return b
	}
	r.fields(func(key string) bool {
		switch key {
		case "name":
			readText(r, &b.Name)
		case "targetAgentId":
			readText(r, &b.Target)
		case "capability":
			readText(r, &b.Capability)
		case "task":
			readText(r, &b.Task)
		case "payload":
			r.values(&b.Payload)
		case "budget":
			r.limits(&b.Budget)
		default:
			return false
		}
		return true
	})
	return b
}

func (r *jsonReader) joinKey(j *Join, key string) bool {
	switch key {
	case "need":
		readWhole(r, &j.Need)
	case "partial":
		r.flag(&j.Partial)
	case "resolve":
		readText(r, &j.Resolve)
	case "timeout":
		readWhole(r, &j.Timeout)
	default:
		return false
	}
	return true
}

func (r *jsonReader) outcomeKey(o *Outcome, key string) bool {
	switch key {
	case "status":
		readWord(r, &o.Status, statusOfOutcomes)
	case "text":
		readText(r, &o.Text)
	case "value":
		o.Value = r.any()
	case "outputs":
		r.values(&o.Outputs)
	case "error":
		readText(r, &o.Error)
	case "code":
		readText(r, &o.Code)
	case "retryable":
		r.flag(&o.Retry)
	case "missing":
		readTexts(r, &o.Missing)
	case "iterations":
		readWhole(r, &o.Turns)
	default:
		return false
	}
	return true
}

func (r *jsonReader) untilKey(u *Until, key string) bool {
	switch key {
	case "signals":
		readTexts(r, &u.Signals)
	case "count":
		readWhole(r, &u.Count)
	case "for":
		readWhole(r, &u.For)
	default:
		return false
	}
	return true
}

func (r *jsonReader) usageKey(u *Usage, key string) bool {
	switch key {
	case "tokens":
		readWhole(r, &u.Tokens)
	case "calls":
		readWhole(r, &u.Calls)
	case "elapsed":
		readWhole(r, &u.Time)
	default:
		return false
	}
	return true
}

func (r *jsonReader) limits(l *Limits) {
	r.record(func(key string) bool {
		switch key {
		case "handoffs":
			readWhole(r, &l.Handoffs)
		case "tokens":
			readWhole(r, &l.Tokens)
		case "agents":
			readWhole(r, &l.Agents)
		case "depth":
			readWhole(r, &l.Depth)
		case "turns":
			readWhole(r, &l.Turns)
		case "time":
			readWhole(r, &l.Time)
		default:
			return false
		}
		return true
	})
}
