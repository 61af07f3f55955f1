package client

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"
)

// lookTime is how long a create whose answer was lost looks for what it made. An interrupted apply waits no longer.
const lookTime = 5 * time.Second

// Created is what became of a create. Exists may hold beside an error: then the object is there and the work on it broke off, so
// that it has to be kept in the state.
type Created[T any] struct {
	Object T
	Exists bool
}

// create sends a create. Where an answer was lost on the way, by a gateway, a timeout or an interrupt, the api may have made the object:
// it is looked for, so that nothing is left that no state knows. What is there counts as ours only if it is what was asked for.
func create[T any](ctx context.Context, asked any, send, find func(context.Context) (T, error)) (Created[T], error) {
	ctx, made := withAttempts(ctx)
	object, err := send(ctx)
	if err == nil {
		return Created[T]{Object: object, Exists: true}, nil
	}
	// An answer of the api that refused it leaves nothing to look for, and one that cannot be read may have made it.
	var refused *Failure
	if !made.lost && errors.As(err, &refused) {
		return Created[T]{}, err
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	found, findErr := find(look)
	if findErr != nil || !holds(found, asked) {
		return Created[T]{}, err
	}
	return Created[T]{Object: found, Exists: true}, ctx.Err()
}

// holds tells whether an answer has every field that was asked for, as it was asked for.
func holds(answer, asked any) bool {
	has, wants := fieldsOf(answer), fieldsOf(asked)
	for name, value := range wants {
		if value != nil && !reflect.DeepEqual(has[name], value) {
			return false
		}
	}
	return len(wants) > 0
}

func fieldsOf(value any) map[string]any {
	var fields map[string]any
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(text, &fields) != nil {
		return nil
	}
	return fields
}
