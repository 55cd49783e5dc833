package assay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// dialer makes the connections to one address.
type dialer struct {
	address address
	timeout time.Duration
	files   tlsFiles

	mutex sync.Mutex
	// What the files of TLS were when they could last be used.
	last *tls.Config
}

// tlsFiles are PEM files; a path is empty where there is none.
type tlsFiles struct {
	authorities, certificate, key string
}

// newDialer returns an error that names the option if a file cannot be used.
func newDialer(settings settings) (*dialer, error) {
	d := &dialer{address: settings.address, timeout: settings.connectTimeout, files: settings.files}
	if !settings.address.isEncrypted {
		return d, nil
	}
	config, err := settings.files.config()
	d.last = config
	return d, err
}

func (f tlsFiles) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if f.authorities != "" {
		text, err := os.ReadFile(f.authorities)
		if err != nil {
			return nil, badOption("the CA file", "cannot be read: %v", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, badOption("the CA file", "%s has no certificate in PEM", f.authorities)
		}
	}
	if f.certificate != "" {
		pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
		if err != nil {
			return nil, badOption("the certificate file and key file", "cannot be used: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// config is that of a new connection: certificates may be replaced while the program runs. While the files do not match, the earlier ones
// hold.
func (d *dialer) config() *tls.Config {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if config, err := d.files.config(); err == nil {
		d.last = config
	}
	return d.last
}

func (d *dialer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	plain, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: plain}, nil
}

func (d *dialer) dialTLS(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	plain, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	config := d.config().Clone()
	config.ServerName = d.address.host
	encrypted := tls.Client(plain, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, d.handshakeFailed(ctx, err)
	}
	return &connection{Conn: encrypted}, nil
}

func (d *dialer) connect(ctx context.Context) (net.Conn, error) {
	plain, err := new(net.Dialer).DialContext(ctx, d.address.network, d.address.place)
	if err != nil {
		return nil, d.failed(ctx, err)
	}
	return plain, nil
}

func (d *dialer) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ownError("connect_failed", err, "%s: no connection within %v", d.address, d.timeout)
	}
	return ownError("connect_failed", err, "%s: %v", d.address, err)
}

// handshakeFailed tells a server that cannot be trusted, or does not trust, from a connection that ended.
func (d *dialer) handshakeFailed(ctx context.Context, err error) error {
	var operation *net.OpError
	isAlert := errors.As(err, &operation) && (operation.Op == "remote error" || operation.Op == "local error")
	var number syscall.Errno
	hasEnded := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &number)
	if !isAlert && (hasEnded || ctx.Err() != nil) {
		return d.failed(ctx, err)
	}
	return ownError("tls_failed", err, "%s: %v", d.address, err)
}

// connection remembers that it has ended: the transport tells an answer that was cut from one that is no HTTP by its sentence alone.
type connection struct {
	net.Conn
	hasEnded atomic.Bool
}

func (c *connection) Read(into []byte) (int, error) {
	count, err := c.Conn.Read(into)
	if err != nil {
		c.hasEnded.Store(true)
	}
	return count, err
}

func badOption(name, format string, values ...any) *Error {
	return ownError("bad_option", nil, "%s %s", name, fmt.Sprintf(format, values...))
}
