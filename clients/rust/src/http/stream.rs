use std::io::{self, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A socket below a connection.
pub(super) trait Socket: Read + Write + Send {
    fn set_timeouts(&self, limit: Duration) -> io::Result<()>;
    fn set_blocking(&self, blocks: bool) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn set_timeouts(&self, limit: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(limit))?;
        self.set_write_timeout(Some(limit))
    }

    fn set_blocking(&self, blocks: bool) -> io::Result<()> {
        self.set_nonblocking(!blocks)
    }
}

#[cfg(unix)]
impl Socket for UnixStream {
    fn set_timeouts(&self, limit: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(limit))?;
        self.set_write_timeout(Some(limit))
    }

    fn set_blocking(&self, blocks: bool) -> io::Result<()> {
        self.set_nonblocking(!blocks)
    }
}

/// A socket, or TLS over one.
pub(super) enum Stream {
    Plain(Box<dyn Socket>),
    #[cfg(feature = "tls")]
    Tls(Box<openssl::ssl::SslStream<TcpStream>>),
}

impl Stream {
    pub fn socket(&mut self) -> &mut dyn Socket {
        match self {
            Stream::Plain(socket) => &mut **socket,
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => stream.get_mut(),
        }
    }

    /// Whether the other side neither closed it nor sent something. If it did, the stream is not usable afterwards. What TLS itself sends in
    /// between, such as tickets, does not count.
    pub fn is_quiet(&mut self) -> bool {
        if self.socket().set_blocking(false).is_err() {
            return false;
        }
        let is_quiet = matches!(self.read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        is_quiet && self.socket().set_blocking(true).is_ok()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(buffer),
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(bytes),
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => stream.flush(),
        }
    }
}
