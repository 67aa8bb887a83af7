//! A registry that misbehaves on demand: a small HTTP server whose answers a test writes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::images::Image;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Path with query.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    /// A value of the query, as it stands there.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.target.split_once('?')?;
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Where a range that is asked for begins.
    pub(crate) fn offset(&self) -> usize {
        let range = self
            .header("range")
            .and_then(|text| text.strip_prefix("bytes="));
        range.map_or(0, |text| text.trim_end_matches('-').parse().unwrap())
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// After so many bytes of the body the connection is closed.
    pub(crate) cut: Option<usize>,
    /// So far into the body it pauses for a while.
    pub(crate) pause: Option<(usize, Duration)>,
    /// After the body, or the part of it that is sent, the connection stays open and silent.
    pub(crate) hangs: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![],
            body: body.into(),
            cut: None,
            pause: None,
            hangs: false,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }

    pub(crate) fn pausing(mut self, after: usize, pause: Duration) -> Self {
        self.pause = Some((after, pause));
        self
    }

    pub(crate) fn hanging(mut self, after: usize) -> Self {
        (self.cut, self.hangs) = (Some(after), true);
        self
    }

    /// The rest of a blob, as a request's range asks for it.
    pub(crate) fn ranged(request: &Request, blob: &[u8]) -> Self {
        let offset = request.offset();
        if offset == 0 {
            return Self::new(200, blob);
        }
        let range = format!("bytes {offset}-{}/{}", blob.len() - 1, blob.len());
        Self::new(206, &blob[offset..]).header("Content-Range", range)
    }
}

/// A running server. It dies with the test's process.
pub(crate) struct Mock {
    /// `127.0.0.1:PORT`
    pub(crate) host: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Mock {
    /// Answers each request by `answer`, which is told how many requests for the same path came before.
    pub(crate) fn new(answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(answer, |stream| Box::new(stream))
    }

    /// The same with TLS.
    pub(crate) fn with_tls(
        config: Arc<rustls::ServerConfig>,
        answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::start(answer, move |stream| {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            Box::new(rustls::StreamOwned::new(connection, stream))
        })
    }

    fn start(
        answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> Box<dyn Stream> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(vec![]));
        let shared = Arc::new((answer, wrap, Arc::clone(&requests)));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (answer, wrap, requests) = &*shared;
                    let socket = stream.try_clone().unwrap();
                    let mut stream = BufReader::new(wrap(stream));
                    let request = read(&mut stream);
                    if request.is_none() {
                        // What servers say to a client that speaks TLS.
                        let _ = stream
                            .get_mut()
                            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
                    }
                    if let Some(request) = request {
                        let before = {
                            let mut all = requests.lock().unwrap();
                            let before = all
                                .iter()
                                .filter(|old: &&Request| old.path() == request.path())
                                .count();
                            all.push(request.clone());
                            before
                        };
                        write(stream.get_mut().as_mut(), &answer(&request, before));
                    }
                    let _ = socket.shutdown(Shutdown::Both);
                });
            }
        });
        Self { host, requests }
    }

    /// A registry that holds these images by `repository:tag` and does everything right.
    pub(crate) fn serving(images: Vec<(&str, Image)>) -> Self {
        let images: Vec<_> = images
            .into_iter()
            .map(|(name, image)| (name.to_owned(), image))
            .collect();
        Self::new(move |request, _| serve(&images, request))
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Requests for blobs of that digest: where each began.
    pub(crate) fn offsets(&self, digest: &str) -> Vec<usize> {
        let requests = self.requests();
        requests
            .iter()
            .filter(|request| request.path().ends_with(digest))
            .map(Request::offset)
            .collect()
    }
}

/// What a registry with these images answers.
pub(crate) fn serve(images: &[(String, Image)], request: &Request) -> Answer {
    let path = request.path().trim_start_matches("/v2/");
    let at = |kind: &str| {
        path.rsplit_once(kind)
            .map(|(repository, name)| (repository.to_owned(), name.to_owned()))
    };
    if let Some((repository, name)) = at("/manifests/") {
        for (full, image) in images {
            if *full == format!("{repository}:{name}") {
                return Answer::new(200, image.manifest_bytes())
                    .header("Docker-Content-Digest", &image.manifest);
            }
            if let Some(bytes) = image
                .blobs
                .get(&name)
                .filter(|_| full.starts_with(&format!("{repository}:")))
            {
                return Answer::new(200, bytes.clone());
            }
        }
    }
    if let Some((_, digest)) = at("/blobs/") {
        for (_, image) in images {
            if let Some(bytes) = image.blobs.get(&digest) {
                return Answer::ranged(request, bytes);
            }
        }
    }
    let unknown = r#"{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}"#;
    Answer::new(404, unknown)
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

fn read(stream: &mut impl BufRead) -> Option<Request> {
    let mut lines = vec![];
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|n| *n > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let target = lines.first()?.split(' ').nth(1)?.to_owned();
    let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
    let headers = headers
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    Some(Request { target, headers })
}

fn write(stream: &mut dyn Stream, answer: &Answer) {
    let headers = answer
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let (status, length) = (answer.status, answer.body.len());
    let head = format!("HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {length}\r\n");
    let head = format!("{head}{}\r\n", headers.collect::<String>());
    let sent = &answer.body[..answer
        .cut
        .unwrap_or(answer.body.len())
        .min(answer.body.len())];
    let (first, pause) = answer.pause.unwrap_or_default();
    let (first, second) = sent.split_at(first);
    // The client may have hung up, which is its right.
    let mut write = |bytes: &[u8]| stream.write_all(bytes).and_then(|()| stream.flush());
    let _ = write(head.as_bytes()).and_then(|()| write(first));
    thread::sleep(pause);
    let _ = write(second);
    if answer.hangs {
        thread::sleep(Duration::from_secs(600));
    }
}
