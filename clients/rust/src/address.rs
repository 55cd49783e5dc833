use std::path::PathBuf;

/// Where a daemon is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub place: Place,
    /// What stands before the path of each method: empty, or `/` and segments without a slash at the end.
    pub prefix: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Network {
        /// A name or a numeric address without brackets.
        host: String,
        port: u16,
        is_encrypted: bool,
    },
    Socket(PathBuf),
}

impl Address {
    /// Reads `https://host[:port][/path]`, `http://host[:port][/path]` or `http+unix:/path`, or says what is wrong with it.
    pub fn parse(url: &str) -> Result<Address, String> {
        if let Some(path) = url.strip_prefix("http+unix:") {
            if !path.starts_with('/') || path.len() < 2 || path.contains('\0') {
                return Err("http+unix: takes the absolute path of a socket".to_owned());
            }
            return Ok(Address { place: Place::Socket(path.into()), prefix: String::new() });
        }
        let (is_encrypted, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err("it is not https://host, http://host or http+unix:/path".to_owned()),
        };
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("it has a character that is not visible ASCII".to_owned());
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if let Some(part) = [('@', "user"), ('?', "query"), ('#', "fragment")]
            .into_iter()
            .find_map(|(mark, part)| rest.contains(mark).then_some(part))
        {
            return Err(format!("it has a {part}"));
        }
        let (host, port) = Address::host_and_port(authority)?;
        let port = port.unwrap_or(if is_encrypted { 443 } else { 80 });
        Ok(Address { place: Place::Network { host, port, is_encrypted }, prefix: path.trim_end_matches('/').to_owned() })
    }

    fn host_and_port(authority: &str) -> Result<(String, Option<u16>), String> {
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
                host.parse::<std::net::Ipv6Addr>().map_err(|_| "what is in brackets is not an IPv6 address")?;
                match (rest.strip_prefix(':'), rest) {
                    (Some(port), _) => (host, Some(port)),
                    (None, "") => (host, None),
                    _ => return Err("something stands between host and port".to_owned()),
                }
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_name) {
            return Err("it has no host".to_owned());
        }
        let port = match port {
            Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(text.parse().ok().filter(|port| *port > 0).ok_or("the port is not of 1 to 65535")?)
            }
            Some(_) => return Err("the port is not a number".to_owned()),
            None => None,
        };
        Ok((host.to_owned(), port))
    }

    /// Whether others can read what is sent.
    pub fn is_readable(&self) -> bool {
        matches!(self.place, Place::Network { is_encrypted: false, .. })
    }

    /// Whether connections have TLS.
    pub fn is_encrypted(&self) -> bool {
        matches!(self.place, Place::Network { is_encrypted: true, .. })
    }

    /// The header field `host`.
    pub fn authority(&self) -> String {
        match &self.place {
            Place::Socket(_) => "localhost".to_owned(),
            Place::Network { host, port, is_encrypted } => {
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                match (port, is_encrypted) {
                    (443, true) | (80, false) => host,
                    _ => format!("{host}:{port}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(host: &str, port: u16, is_encrypted: bool, prefix: &str) -> Address {
        Address { place: Place::Network { host: host.to_owned(), port, is_encrypted }, prefix: prefix.to_owned() }
    }

    #[test]
    fn reads_each_form() {
        assert_eq!(Address::parse("https://assay.example"), Ok(network("assay.example", 443, true, "")));
        assert_eq!(Address::parse("http://localhost/"), Ok(network("localhost", 80, false, "")));
        assert_eq!(Address::parse("http://[::1]:8080/a/b/"), Ok(network("::1", 8080, false, "/a/b")));
        let socket = Address { place: Place::Socket("/run/assayd.sock".into()), prefix: String::new() };
        assert_eq!(Address::parse("http+unix:/run/assayd.sock"), Ok(socket));
    }

    #[test]
    fn refuses_what_is_no_address() {
        let wrong = [
            "",
            "localhost:80",
            "ftp://a",
            "http://",
            "http:///a",
            "http://a:",
            "http://a:0",
            "http://a:65536",
            "http://a:x",
            "http://user@a",
            "http://a?x",
            "http://a/#b",
            "http://a b",
            "http://a/\r\nx:y",
            "http://[::1",
            "http://[a]",
            "http://[::1]x",
            "http://a:1:2",
            "http+unix:relative",
            "http+unix:/",
            "http://\u{e9}.example",
        ];
        for url in wrong {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn names_the_host_of_a_request() {
        let host = |url| Address::parse(url).unwrap().authority();
        assert_eq!(host("https://a.example"), "a.example");
        assert_eq!(host("http://a.example:8080"), "a.example:8080");
        assert_eq!(host("http://[::1]:443"), "[::1]:443");
        assert_eq!(host("http+unix:/a"), "localhost");
    }
}
