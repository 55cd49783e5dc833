package assay

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// authority is a CA of a test.
type authority struct {
	t           *testing.T
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string
}

func newAuthority(t *testing.T) authority {
	a := authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	a.key = a.newKey()
	template := a.template("Test CA")
	template.IsCA, template.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	a.check(err)
	a.certificate, err = x509.ParseCertificate(der)
	a.check(err)
	a.write(a.file, "CERTIFICATE", der)
	return a
}

func (a authority) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.check(err)
	return key
}

func (a authority) template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
	}
}

func (a authority) write(path, kind string, der []byte) {
	a.check(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// issue makes a certificate, and writes it and its key into files.
func (a authority) issue(certificateFile, keyFile string, change func(*x509.Certificate)) tls.Certificate {
	key, template := a.newKey(), a.template("127.0.0.1")
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	a.check(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	a.check(err)
	a.write(certificateFile, "CERTIFICATE", der)
	a.write(keyFile, "PRIVATE KEY", keyDER)
	pair, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	a.check(err)
	return pair
}

func (a authority) server(names ...net.IP) *tls.Config {
	folder := a.t.TempDir()
	pair := a.issue(filepath.Join(folder, "a.pem"), filepath.Join(folder, "a.key"), func(template *x509.Certificate) { template.IPAddresses = names })
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

func TestOnlyTheOptionsAuthorityIsTrusted(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	loopback := net.IPv4(127, 0, 0, 1)
	for name, attempt := range map[string]struct {
		settings *tls.Config
		options  []Option
		isGood   bool
	}{
		"the CA's":              {ours.server(loopback), []Option{WithCAFile(ours.file)}, true},
		"the system's":          {ours.server(loopback), nil, false},
		"another CA's":          {ours.server(loopback), []Option{WithCAFile(others.file)}, false},
		"another name":          {ours.server(net.IPv4(127, 0, 0, 2)), []Option{WithCAFile(ours.file)}, false},
		"a name in the subject": {ours.server(), []Option{WithCAFile(ours.file)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, attempt.settings, said(200, "{}"))
			client, _ := newTestClient(t, server.URL, append(attempt.options, WithAPIKey("assay_secret"))...)
			_, err := client.WhoAmI(context.Background())
			if attempt.isGood && err != nil {
				t.Error(err)
			}
			if !attempt.isGood {
				expectFailure(t, err, CodeUnavailable, "tls_failed", 1)
			}
		})
	}
}

func TestCertificateIsReadForEachConnection(t *testing.T) {
	ours, folder := newAuthority(t), t.TempDir()
	certificateFile, keyFile := filepath.Join(folder, "client.pem"), filepath.Join(folder, "client.key")
	issue := func(name string) {
		ours.issue(certificateFile, keyFile, func(template *x509.Certificate) {
			template.URIs = []*url.URL{{Scheme: "spiffe", Host: "example.org", Path: "/" + name}}
			template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		})
	}
	settings := ours.server(net.IPv4(127, 0, 0, 1))
	settings.ClientAuth, settings.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	settings.ClientCAs.AddCert(ours.certificate)
	var seen []string
	see := func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.TLS.PeerCertificates[0].URIs[0].Path)
		said(200, "{}", "Connection", "close")(w, r)
	}
	server := newServer(t, settings, see, see, see)

	issue("first")
	client, _ := newTestClient(t, server.URL, WithCAFile(ours.file), WithClientCertificate(certificateFile, keyFile))
	call := func() {
		t.Helper()
		if _, err := client.WhoAmI(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	call()
	issue("second")
	call()
	ours.check(os.WriteFile(keyFile, []byte("half writt"), 0o600))
	call()
	if want := []string{"/first", "/second", "/second"}; !reflect.DeepEqual(seen, want) {
		t.Error(seen)
	}

	without, _ := newTestClient(t, server.URL, WithCAFile(ours.file))
	_, err := without.WhoAmI(context.Background())
	expectFailure(t, err, CodeUnavailable, "tls_failed", 1)
}
