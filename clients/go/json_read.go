package assay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How messages are read from JSON (docs/reference/http.md#json). The standard library's decoder compares names without their case, and takes neither
// integers as texts nor both alphabets of Base64, so that it only splits the JSON here.

// maxDepth is how many objects and arrays may stand within each other.
const maxDepth = 100

// reader reads messages into structs, by their tags.
type reader struct {
	// Refuse members that are not known: they could say what a request is about.
	isStrict bool
}

// enumeration is a type of the values of an enumeration.
type enumeration interface{ prefix() string }

var enumerationType = reflect.TypeOf((*enumeration)(nil)).Elem()

// readMessage reads an object into a struct.
func (r reader) readMessage(text []byte, into any) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("the JSON is not UTF-8")
	}
	if depthOf(text) > maxDepth {
		return fmt.Errorf("the JSON has more than %d levels", maxDepth)
	}
	if !json.Valid(text) {
		return fmt.Errorf("the JSON is broken")
	}
	return r.read(text, reflect.ValueOf(into).Elem(), "")
}

// depthOf counts the levels of a JSON text without reading it: a reader that recurses must know before.
func depthOf(text []byte) int {
	deepest, depth, isInString := 0, 0, false
	for at := 0; at < len(text); at++ {
		switch character := text[at]; {
		case isInString && character == '\\':
			at++
		case character == '"':
			isInString = !isInString
		case isInString:
		case character == '{' || character == '[':
			if depth++; depth > deepest {
				deepest = depth
			}
		case character == '}' || character == ']':
			depth--
		}
	}
	return deepest
}

func wrong(place, want string) error {
	if place == "" {
		place = "it"
	}
	return fmt.Errorf("%s is not %s", place, want)
}

func (r reader) read(text json.RawMessage, into reflect.Value, place string) error {
	text = bytes.TrimSpace(text)
	if into.Type().Implements(enumerationType) {
		return readEnumeration(text, into, place)
	}
	switch into.Kind() {
	case reflect.String:
		value, isString := textOf(text)
		if !isString {
			return wrong(place, "a text")
		}
		into.SetString(value)
	case reflect.Bool:
		if string(text) != "true" && string(text) != "false" {
			return wrong(place, "true or false")
		}
		into.SetBool(string(text) == "true")
	case reflect.Int64:
		value, isInteger := integerOf(text)
		if !isInteger || !value.IsInt64() {
			return wrong(place, "an integer of 64 bits")
		}
		into.SetInt(value.Int64())
	case reflect.Uint32:
		value, isInteger := integerOf(text)
		if !isInteger || !value.IsUint64() || value.Uint64() > math.MaxUint32 {
			return wrong(place, "an integer of 0 to 4294967295")
		}
		into.SetUint(value.Uint64())
	case reflect.Pointer:
		value := reflect.New(into.Type().Elem())
		if err := r.read(text, value.Elem(), place); err != nil {
			return err
		}
		into.Set(value)
	case reflect.Slice:
		return r.readSlice(text, into, place)
	case reflect.Struct:
		return r.readStruct(text, into, place)
	default:
		panic("assay: a message has a field of the type " + into.Type().String())
	}
	return nil
}

func (r reader) readSlice(text json.RawMessage, into reflect.Value, place string) error {
	if into.Type().Elem().Kind() == reflect.Uint8 {
		encoded, isString := textOf(text)
		value, err := fromBase64(encoded)
		if !isString || err != nil {
			return wrong(place, "Base64")
		}
		into.SetBytes(value)
		return nil
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil || elements == nil {
		return wrong(place, "a list")
	}
	values := reflect.MakeSlice(into.Type(), len(elements), len(elements))
	for index, element := range elements {
		if err := r.read(element, values.Index(index), fmt.Sprintf("%s[%d]", place, index)); err != nil {
			return err
		}
	}
	into.Set(values)
	return nil
}

func (r reader) readStruct(text json.RawMessage, into reflect.Value, place string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return wrong(place, "an object")
	}
	within := func(name string) string {
		if place == "" {
			return name
		}
		return place + "." + name
	}
	kind := into.Type()
	for index := 0; index < kind.NumField(); index++ {
		name := kind.Field(index).Tag.Get("json")
		if name == "-" {
			if kind.Field(index).Name == "Raw" {
				into.Field(index).SetBytes(append(json.RawMessage(nil), text...))
			}
			continue
		}
		value, isGiven := members[name]
		delete(members, name)
		if !isGiven || string(value) == "null" {
			if named, hasName := into.Field(index).Interface().(interface{ absent() string }); hasName {
				into.Field(index).SetString(named.absent())
			}
			continue
		}
		if err := r.read(value, into.Field(index), within(name)); err != nil {
			return err
		}
	}
	if r.isStrict {
		for name := range members {
			return wrong(within(fmt.Sprintf("%.64q", name)), "a member of "+kind.Name())
		}
	}
	return nil
}

// readEnumeration reads the name of a value, without its prefix. A value that is not known stays as it came, a number as its digits.
func readEnumeration(text json.RawMessage, into reflect.Value, place string) error {
	value, isString := textOf(text)
	if !isString {
		number, isInteger := integerOf(text)
		if !isInteger {
			return wrong(place, "the name of a value")
		}
		if value = number.String(); value == "0" {
			value = ""
		}
	}
	value = strings.TrimPrefix(value, into.Interface().(enumeration).prefix())
	if value == "UNSPECIFIED" {
		value = ""
	}
	into.SetString(value)
	return nil
}

func textOf(text json.RawMessage) (string, bool) {
	if len(text) == 0 || text[0] != '"' {
		return "", false
	}
	var value string
	err := json.Unmarshal(text, &value)
	return value, err == nil
}

// integerOf reads a number, or a text of digits.
func integerOf(text json.RawMessage) (*big.Int, bool) {
	digits, isString := textOf(text)
	if !isString {
		digits = string(text)
		if strings.ContainsAny(digits, ".eE") {
			number, err := strconv.ParseFloat(digits, 64)
			if err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxUint64 {
				return nil, false
			}
			value, _ := big.NewFloat(number).Int(nil)
			return value, true
		}
	}
	rest := strings.TrimPrefix(digits, "-")
	if len(rest) == 0 || len(rest) > 20 || strings.Trim(rest, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(digits, 10)
}

// fromBase64 reads either alphabet, with or without padding.
func fromBase64(text string) ([]byte, error) {
	if strings.HasSuffix(text, "=") && len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	// The decoder steps over line ends.
	if strings.ContainsAny(text, "\r\n") {
		return nil, base64.CorruptInputError(strings.IndexAny(text, "\r\n"))
	}
	return base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(text))
}
