package state

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// settleNumbers turns the json.Number values that a decoder left in `any`
// parts of *v into int64 and float64.
func settleNumbers[V any](v *V) error {
	switch x := any(v).(type) {
	case *any:
		return settle(x)
	case *[]any:
		return settleList(*x)
	case *map[string]any:
		return settleMap(*x)
	case *string, *bool, *int, *int64, *float64, *[]string, *[]int:
		return nil
	}
	if !holdsAny(reflect.TypeFor[V](), nil) {
		return nil
	}
	return settleDeep(reflect.ValueOf(v).Elem())
}

func settle(x *any) error {
	switch v := (*x).(type) {
	case json.Number:
		n, err := number(v)
		*x = n
		return err
	case []any:
		return settleList(v)
	case map[string]any:
		return settleMap(v)
	}
	return nil
}

func settleList(l []any) error {
	for i := range l {
		if err := settle(&l[i]); err != nil {
			return err
		}
	}
	return nil
}

func settleMap(m map[string]any) error {
	for k, v := range m {
		if err := settle(&v); err != nil {
			return err
		}
		m[k] = v
	}
	return nil
}

func number(n json.Number) (any, error) {
	if strings.ContainsAny(string(n), ".eE") {
		f, err := n.Float64()
		if err != nil {
			return nil, fmt.Errorf("%w: number %s is out of range", ErrValue, n)
		}
		return f, nil
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: whole number %s does not fit 64 bits", ErrValue, n)
	}
	return i, nil
}

// settleDeep walks a decoded value of any type with `any` somewhere inside.
func settleDeep(v reflect.Value) error {
	if v.Kind() != reflect.Interface && codesItself(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		x := v.Interface()
		if err := settle(&x); err != nil {
			return err
		}
		v.Set(reflect.ValueOf(x))
	case reflect.Pointer:
		if !v.IsNil() {
			return settleDeep(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := settleDeep(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() && !f.Anonymous {
				continue
			}
			if err := settleDeep(v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		return settleMapDeep(v)
	}
	return nil
}

func settleMapDeep(m reflect.Value) error {
	for _, k := range m.MapKeys() {
		e := reflect.New(m.Type().Elem()).Elem()
		e.Set(m.MapIndex(k))
		if err := settleDeep(e); err != nil {
			return err
		}
		m.SetMapIndex(k, e)
	}
	return nil
}
