package assay

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// The details beside an error: messages of google.rpc in protobuf, of which a few fields are read.

var errNoMessage = errors.New("the bytes are no message of protobuf")

// protoField is a field of a message: an integer of a varint, or the bytes of a text or message.
type protoField struct {
	number  uint64
	integer uint64
	bytes   []byte
	isBytes bool
}

// protoFields reads a message; fixed-length fields are stepped over.
func protoFields(message []byte) ([]protoField, error) {
	var fields []protoField
	varint := func() (uint64, bool) {
		value, length := binary.Uvarint(message)
		if length <= 0 {
			return 0, false
		}
		message = message[length:]
		return value, true
	}
	for len(message) > 0 {
		tag, isWhole := varint()
		if !isWhole {
			return nil, errNoMessage
		}
		field := protoField{number: tag >> 3}
		skip := 0
		switch tag & 7 {
		case 0:
			if field.integer, isWhole = varint(); !isWhole {
				return nil, errNoMessage
			}
		case 1:
			skip = 8
		case 2:
			length, isWhole := varint()
			if !isWhole || length > uint64(len(message)) {
				return nil, errNoMessage
			}
			field.bytes, field.isBytes = message[:length], true
			skip = int(length)
		case 5:
			skip = 4
		default:
			return nil, errNoMessage
		}
		if skip > len(message) {
			return nil, errNoMessage
		}
		message = message[skip:]
		fields = append(fields, field)
	}
	return fields, nil
}

// protoTexts has the last text of each number.
func protoTexts(message []byte) (map[uint64]string, error) {
	fields, err := protoFields(message)
	if err != nil {
		return nil, err
	}
	texts := map[uint64]string{}
	for _, field := range fields {
		if field.isBytes {
			if !utf8.Valid(field.bytes) {
				return nil, errNoMessage
			}
			texts[field.number] = string(field.bytes)
		}
	}
	return texts, nil
}

// readErrorInfo reads a google.rpc.ErrorInfo. It says nothing of another domain than "assay".
func readErrorInfo(message []byte) (reason, retry string, isOurs bool) {
	fields, err := protoFields(message)
	if err != nil {
		return "", "", false
	}
	domain := ""
	for _, field := range fields {
		if !field.isBytes || !utf8.Valid(field.bytes) {
			continue
		}
		switch field.number {
		case 1:
			reason = string(field.bytes)
		case 2:
			domain = string(field.bytes)
		case 3:
			entry, err := protoTexts(field.bytes)
			if err != nil {
				return "", "", false
			}
			if entry[1] == "retry" {
				retry = entry[2]
			}
		}
	}
	return reason, retry, domain == "assay"
}

// readRetryDelay is the time of a google.rpc.RetryInfo; nil for one without, and for one that cannot be.
func readRetryDelay(message []byte) *time.Duration {
	fields, err := protoFields(message)
	if err != nil {
		return nil
	}
	for _, field := range fields {
		if field.number != 1 || !field.isBytes {
			continue
		}
		parts, err := protoFields(field.bytes)
		if err != nil {
			return nil
		}
		var seconds, nanoseconds uint64
		for _, part := range parts {
			switch {
			case part.isBytes:
			case part.number == 1:
				seconds = part.integer
			case part.number == 2:
				nanoseconds = part.integer
			}
		}
		// A Duration has no more than 292 years.
		if seconds >= 1<<33 || nanoseconds >= 1e9 {
			return nil
		}
		delay := time.Duration(seconds)*time.Second + time.Duration(nanoseconds)
		return &delay
	}
	return nil
}

// readHelpLink is the first link of a google.rpc.Help that may be shown and followed.
func readHelpLink(message []byte) string {
	fields, err := protoFields(message)
	if err != nil {
		return ""
	}
	for _, field := range fields {
		if field.number != 1 || !field.isBytes {
			continue
		}
		texts, err := protoTexts(field.bytes)
		if err != nil {
			continue
		}
		if url := texts[2]; strings.HasPrefix(url, "https://") && isVisible(url, 1000) {
			return url
		}
	}
	return ""
}
