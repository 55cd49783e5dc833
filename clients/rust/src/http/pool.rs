use super::connection::Connection;
use super::stream::Stream;
use super::{Answer, Deadline, Failure, Tls};
use crate::address::{Address, Place};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{mpsc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The connections to one address: those in use belong to their calls, and some are kept for later ones.
pub(crate) struct Pool {
    address: Address,
    tls: Option<Tls>,
    connect_timeout: Duration,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    /// With the time of their last use, the latest at the end.
    connections: Vec<(Connection, Instant)>,
    is_closed: bool,
}

impl Pool {
    const IDLE_LIMIT: usize = 8;
    const IDLE_TIME: Duration = Duration::from_secs(60);

    pub fn new(address: Address, tls: Option<Tls>, connect_timeout: Duration) -> Pool {
        Pool { address, tls, connect_timeout, idle: Mutex::default() }
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request over a connection that is open or made for it.
    ///
    /// - `may_repeat`: whether it may be sent again at once, where a connection that was kept turns out to be closed.
    /// - `limit`: the longest body of an answer.
    pub fn exchange(&self, request: &[u8], may_repeat: bool, limit: usize, deadline: Deadline) -> Result<Answer, Failure> {
        if let Some(kept) = self.kept() {
            match self.exchange_over(kept, request, limit, deadline) {
                Err(Failure::Lost { had_answer: false, .. }) if may_repeat => {}
                result => return result,
            }
        }
        self.exchange_over(Connection::new(self.connect(deadline)?), request, limit, deadline)
    }

    fn exchange_over(
        &self, mut connection: Connection, request: &[u8], limit: usize, deadline: Deadline,
    ) -> Result<Answer, Failure> {
        let (answer, is_reusable) = connection.exchange(request, limit, deadline)?;
        if is_reusable {
            self.keep(connection);
        }
        Ok(answer)
    }

    /// Takes no more calls.
    pub fn close(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.is_closed = true;
        idle.connections.clear();
    }

    pub fn is_closed(&self) -> bool {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).is_closed
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if !idle.is_closed {
            if idle.connections.len() == Pool::IDLE_LIMIT {
                idle.connections.remove(0);
            }
            idle.connections.push((connection, Instant::now()));
        }
    }

    /// The connection that was used last and is still open.
    fn kept(&self) -> Option<Connection> {
        loop {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.connections.retain(|(_, since)| since.elapsed() < Pool::IDLE_TIME);
            let (mut connection, _) = idle.connections.pop()?;
            drop(idle);
            if connection.is_usable() {
                return Some(connection);
            }
        }
    }

    fn connect(&self, deadline: Deadline) -> Result<Stream, Failure> {
        let limit = deadline.or_within(self.connect_timeout);
        self.connect_within(limit).map_err(|failure| match failure {
            // Of the two time-outs the one of the whole call has passed.
            Failure::NotConnected(_) | Failure::Timeout if deadline.has_passed() => Failure::Timeout,
            Failure::Timeout => {
                let why = format!("no connection within {} ms", self.connect_timeout.as_millis());
                Failure::NotConnected(format!("{}: {why}", self.address.authority()))
            }
            failure => failure,
        })
    }

    fn connect_within(&self, deadline: Deadline) -> Result<Stream, Failure> {
        let (host, port) = match &self.address.place {
            Place::Network { host, port, .. } => (host, *port),
            Place::Socket(path) => return socket_stream(path),
        };
        let mut failure = format!("{host}: the name has no address");
        let addresses = addresses(host, port, deadline)?;
        for (index, address) in addresses.iter().enumerate() {
            // Each gets its share of what is left, so that one that does not answer leaves time for the others.
            let left = deadline.left().ok_or(Failure::Timeout)? / (addresses.len() - index) as u32;
            match TcpStream::connect_timeout(address, left.max(Duration::from_micros(1))) {
                Ok(stream) => return self.secured(stream, host, deadline),
                Err(error) => failure = format!("{address}: {error}"),
            }
        }
        Err(Failure::NotConnected(failure))
    }

    fn secured(&self, stream: TcpStream, host: &str, deadline: Deadline) -> Result<Stream, Failure> {
        let _ = stream.set_nodelay(true);
        match &self.tls {
            None => Ok(Stream::Plain(Box::new(stream))),
            #[cfg(feature = "tls")]
            Some(tls) => Ok(Stream::Tls(Box::new(tls.handshake(stream, host, deadline)?))),
            #[cfg(not(feature = "tls"))]
            Some(Tls) => Err(Failure::Tls(format!("{host}: {:?}", deadline.left()))),
        }
    }
}

#[cfg(unix)]
fn socket_stream(path: &std::path::Path) -> Result<Stream, Failure> {
    match std::os::unix::net::UnixStream::connect(path) {
        Ok(stream) => Ok(Stream::Plain(Box::new(stream))),
        Err(error) => Err(Failure::NotConnected(format!("{}: {error}", path.display()))),
    }
}

#[cfg(not(unix))]
fn socket_stream(path: &std::path::Path) -> Result<Stream, Failure> {
    Err(Failure::NotConnected(format!("{}: this system has no Unix sockets", path.display())))
}

/// The addresses of a host. The system's resolver has no time-out, so that another thread asks it.
fn addresses(host: &str, port: u16, deadline: Deadline) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(address) = host.parse() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (sender, receiver) = mpsc::channel();
    let name = host.to_owned();
    std::thread::Builder::new()
        .name("assay-resolve".to_owned())
        .spawn(move || {
            let found = (name.as_str(), port).to_socket_addrs().map(Vec::from_iter);
            // The caller may have given up.
            let _ = sender.send(found);
        })
        .map_err(|error| Failure::NotConnected(format!("{host}: {error}")))?;
    let left = deadline.left().ok_or(Failure::Timeout)?;
    match receiver.recv_timeout(left) {
        Ok(found) => found.map_err(|error: io::Error| Failure::NotConnected(format!("{host}: {error}"))),
        Err(_) => Err(Failure::Timeout),
    }
}
