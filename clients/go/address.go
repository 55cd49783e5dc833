package assay

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// maxSocketPath is Linux's, in bytes.
const maxSocketPath = 107

// address is where a daemon, or a proxy before it, is called.
type address struct {
	text        string
	isEncrypted bool
	// What net.Dial takes.
	network, place string
	// The name that the server's certificate has to have.
	host string
	// What the path of a method follows.
	base string
}

func (a address) String() string { return a.text }

// parseAddress reads `https://host[:port][/path]`, `http://host[:port][/path]` or `http+unix:/path/of/socket`. It takes no user, query or
// fragment.
func parseAddress(text string) (address, bool) {
	if path, isUnix := strings.CutPrefix(text, "http+unix:"); isUnix {
		if len(path) < 2 || path[0] != '/' || len(path) > maxSocketPath || strings.Contains(path, "\x00") {
			return address{}, false
		}
		return address{text: text, network: "unix", place: path, host: "localhost", base: "http://localhost"}, true
	}
	parsed, err := url.Parse(text)
	if err != nil || !isVisible(text, 2000) || strings.ContainsAny(text, "?#@") || parsed.Opaque != "" {
		return address{}, false
	}
	isEncrypted, port, host := parsed.Scheme == "https", parsed.Port(), parsed.Hostname()
	if !isEncrypted && parsed.Scheme != "http" || host == "" || strings.HasSuffix(parsed.Host, ":") {
		return address{}, false
	}
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[isEncrypted]
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return address{}, false
	}
	base := parsed.Scheme + "://" + parsed.Host + strings.TrimRight(parsed.EscapedPath(), "/")
	return address{text: text, isEncrypted: isEncrypted, network: "tcp", place: net.JoinHostPort(host, port), host: host, base: base}, true
}

// isVisible says whether a text is 1 to limit characters of "!" to "~", and so cannot end a header field.
func isVisible(text string, limit int) bool {
	for index := 0; index < len(text); index++ {
		if text[index] < '!' || text[index] > '~' {
			return false
		}
	}
	return len(text) > 0 && len(text) <= limit
}
