package assay

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
)

// writeMessage writes a request. Members at their default are left out; a pointer that is set says something in any case.
func writeMessage(message any) ([]byte, error) {
	return json.Marshal(writable(reflect.ValueOf(message)))
}

// writable is a value as the standard library's encoder writes it rightly.
func writable(value reflect.Value) any {
	if value.Type().Implements(enumerationType) {
		return nameOf(value.Interface().(enumeration).prefix(), value)
	}
	switch value.Kind() {
	case reflect.Int64:
		return strconv.FormatInt(value.Int(), 10)
	case reflect.Pointer:
		return writable(value.Elem())
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(value.Bytes())
		}
		elements := make([]any, value.Len())
		for index := range elements {
			elements[index] = writable(value.Index(index))
		}
		return elements
	case reflect.Struct:
		members := map[string]any{}
		for index := 0; index < value.NumField(); index++ {
			name, member := value.Type().Field(index).Tag.Get("json"), value.Field(index)
			if name != "-" && !isDefault(member) {
				members[name] = writable(member)
			}
		}
		return members
	default:
		return value.Interface()
	}
}

func isDefault(value reflect.Value) bool {
	if value.Kind() == reflect.Slice {
		return value.Len() == 0
	}
	return value.IsZero()
}

// nameOf is a value's name as protobuf has it. A number, and a name that already has the prefix, stay as they are.
func nameOf(prefix string, value reflect.Value) any {
	name := value.String()
	if _, err := strconv.ParseInt(name, 10, 32); err == nil {
		return json.Number(name)
	}
	if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
		return name
	}
	return prefix + name
}
