package assay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWrongOptionIsNamed(t *testing.T) {
	const url = "https://assay.example.org"
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]Option{
		"API key":          {WithAPIKey("a\nb")},
		"CA file":          {WithCAFile(filepath.Join(folder, "none"))},
		"no certificate":   {WithCAFile(empty)},
		"certificate file": {WithClientCertificate(empty, "")},
		"key file":         {WithClientCertificate(empty, empty)},
		"timeout":          {WithTimeout(0)},
		"connect timeout":  {WithConnectTimeout(-time.Second)},
		"tries":            {WithTries(0)},
		"max answer bytes": {WithMaxAnswerBytes(0)},
		"documentation":    {WithDocumentation("a b")},
	} {
		_, err := New(url, options...)
		if failure := failureOf(t, err); failure.Reason != "bad_option" || failure.Code != CodeInvalidArgument || !strings.Contains(failure.Message, name) {
			t.Error(name, failure)
		}
	}
	for _, option := range []Option{WithAPIKey("k"), WithCAFile(empty), WithClientCertificate(empty, empty)} {
		if _, err := New("http://127.0.0.1", option); failureOf(t, err).Reason != "bad_option" {
			t.Error(err)
		}
	}
	for _, address := range []string{
		"", "assay.example.org", url + "?a", url + "#a", "https://me@assay.example.org", "http+unix:relative", "http://a:0", "http://a:65536", "http://a:", "ftp://a", "http://a b",
		"http+unix:/" + strings.Repeat("a", 107),
	} {
		_, err := New(address)
		if failure := failureOf(t, err); failure.Reason != "bad_option" || !strings.Contains(failure.Message, "url") {
			t.Error(address, failure)
		}
	}
}

func TestAddressesAreRead(t *testing.T) {
	for text, want := range map[string]address{
		"https://a.example":            {isEncrypted: true, network: "tcp", place: "a.example:443", host: "a.example", base: "https://a.example"},
		"http://127.0.0.1:7422/":       {network: "tcp", place: "127.0.0.1:7422", host: "127.0.0.1", base: "http://127.0.0.1:7422"},
		"https://[::1]:8443/a/b/":      {isEncrypted: true, network: "tcp", place: "[::1]:8443", host: "::1", base: "https://[::1]:8443/a/b"},
		"http+unix:/run/assay/http.sk": {network: "unix", place: "/run/assay/http.sk", host: "localhost", base: "http://localhost"},
	} {
		want.text = text
		if got, isAddress := parseAddress(text); !isAddress || got != want {
			t.Errorf("%s: %#v", text, got)
		}
	}
}

func TestPauses(t *testing.T) {
	for attempt, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 1000: 30 * time.Second} {
		if got := pauseAfter(attempt, nil, 0.5); got != want {
			t.Error(attempt, got)
		}
	}
	minute := time.Minute
	for chance, want := range map[float64]time.Duration{0: time.Minute, 1: 72 * time.Second} {
		if got := pauseAfter(1, &minute, chance); got != want {
			t.Error(chance, got)
		}
	}
	if low, high := pauseAfter(1, nil, 0), pauseAfter(1, nil, 1); low != 800*time.Millisecond || high != 1200*time.Millisecond {
		t.Error(low, high)
	}
}
