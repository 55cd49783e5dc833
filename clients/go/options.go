package assay

import (
	"strings"
	"time"
)

// maxTimeout is the longest time-out that is taken.
const maxTimeout = 24 * time.Hour

// settings are what a client was made with.
type settings struct {
	address         address
	apiKey          *string
	files           tlsFiles
	hasFiles        bool
	timeout         time.Duration
	connectTimeout  time.Duration
	tries           int
	idempotencyKeys bool
	maxAnswerBytes  int64
	documentation   *string
}

// Option is an option of a client.
type Option func(*settings) error

// WithAPIKey sends the key of a caller that has one. It is sent over https:// and to Unix sockets only.
func WithAPIKey(key string) Option {
	return func(s *settings) error {
		if !isVisible(key, 512) {
			return badOption("the API key", "is not 1 to 512 visible ASCII characters, without spaces and line ends")
		}
		s.apiKey = &key
		return nil
	}
}

// WithCAFile trusts the certificates of these CAs alone, in place of the system's. The file is PEM.
func WithCAFile(path string) Option {
	return func(s *settings) error {
		if path == "" {
			return badOption("the CA file", "has no path")
		}
		s.files.authorities, s.hasFiles = path, true
		return nil
	}
}

// WithClientCertificate shows the daemon a certificate. The files are PEM, and are read again for each connection.
func WithClientCertificate(certificateFile, keyFile string) Option {
	return func(s *settings) error {
		if certificateFile == "" || keyFile == "" {
			return badOption("the certificate file and key file", "go together: one has no path")
		}
		s.files.certificate, s.files.key, s.hasFiles = certificateFile, keyFile, true
		return nil
	}
}

// WithTimeout bounds a call with all its tries and pauses. Default: 30 s. A context that ends earlier bounds it too.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.timeout = timeout
		return checkTimeout("the timeout", timeout)
	}
}

// WithConnectTimeout bounds the making of each connection, with its TLS handshake. Default: 5 s.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.connectTimeout = timeout
		return checkTimeout("the connect timeout", timeout)
	}
}

func checkTimeout(name string, timeout time.Duration) error {
	if timeout <= 0 || timeout > maxTimeout {
		return badOption(name, "is %v: it is more than 0 and at most %v", timeout, maxTimeout)
	}
	return nil
}

// WithTries bounds how often a call is tried in total. Default: 5; 1: there is no retry.
func WithTries(tries int) Option {
	return func(s *settings) error {
		s.tries = tries
		if tries < 1 {
			return badOption("tries", "is %d: it is at least 1", tries)
		}
		return nil
	}
}

// WithIdempotencyKeys says whether a call that takes an idempotency key and is given none gets a random one, so that it can be retried.
// Default: true.
func WithIdempotencyKeys(areMade bool) Option {
	return func(s *settings) error {
		s.idempotencyKeys = areMade
		return nil
	}
}

// WithMaxAnswerBytes bounds the body of an answer. Default: 8 MiB.
func WithMaxAnswerBytes(bytes int64) Option {
	return func(s *settings) error {
		s.maxAnswerBytes = bytes
		if bytes < 1 || bytes > 1<<40 {
			return badOption("max answer bytes", "is %d: it is at least 1, and at most %d", bytes, int64(1)<<40)
		}
		return nil
	}
}

// WithDocumentation says what links of errors begin with, such as the address of a mirror of the documentation.
func WithDocumentation(prefix string) Option {
	return func(s *settings) error {
		if !isVisible(prefix, 1000) {
			return badOption("the documentation", "is not an address of at most 1000 visible ASCII characters")
		}
		prefix = strings.TrimRight(prefix, "/")
		s.documentation = &prefix
		return nil
	}
}

func newSettings(url string, options []Option) (settings, error) {
	s := settings{
		timeout: 30 * time.Second, connectTimeout: 5 * time.Second, tries: 5, idempotencyKeys: true, maxAnswerBytes: 8 << 20,
	}
	var isAddress bool
	if s.address, isAddress = parseAddress(url); !isAddress {
		return s, badOption("url", "is not https://host[:port][/path], http://host[:port][/path] or http+unix:/path/of/socket; it takes no user, query or fragment")
	}
	for _, option := range options {
		if err := option(&s); err != nil {
			return s, err
		}
	}
	switch {
	case s.apiKey != nil && !s.address.isEncrypted && s.address.network != "unix":
		return s, badOption("the API key", "is sent over https:// or to a Unix socket: http:// can be read on the way")
	case s.hasFiles && !s.address.isEncrypted:
		return s, badOption("the CA file, or the certificate file and key file,", "are for https:// alone")
	}
	return s, nil
}

// callSettings are what one call is made with.
type callSettings struct {
	timeout        time.Duration
	idempotencyKey string
	hasKey         bool
	isIdempotent   bool
}

// CallOption is an option of one call.
type CallOption func(*callSettings) error

// WithCallTimeout takes the place of the client's time-out.
func WithCallTimeout(timeout time.Duration) CallOption {
	return func(s *callSettings) error {
		s.timeout = timeout
		if timeout <= 0 || timeout > maxTimeout {
			return ownError("bad_request", nil, "the call timeout is %v: it is more than 0 and at most %v", timeout, maxTimeout)
		}
		return nil
	}
}

// WithIdempotencyKey gives a call of Verify, IssueCertificate, ProvisionDevice or Call a key: the same request under the same key gets the
// same answer. It is 1 to 64 characters of "!" to "~".
func WithIdempotencyKey(key string) CallOption {
	return func(s *callSettings) error {
		if !isVisible(key, 64) {
			return ownError("bad_request", nil, "the idempotency key is not 1 to 64 visible ASCII characters, without spaces")
		}
		s.idempotencyKey, s.hasKey = key, true
		return nil
	}
}

// Idempotent lets a call of Call be sent again although it was possibly done.
func Idempotent() CallOption {
	return func(s *callSettings) error {
		s.isIdempotent = true
		return nil
	}
}
