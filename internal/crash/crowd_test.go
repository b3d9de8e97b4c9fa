package crash_test

import (
	"context"

	"github.com/graphrun/graphrun/checkpoint"
)

type crowd struct{}

func (c *crowd) join(ctx context.Context, s checkpoint.Store, o *order) error { return nil }
