//! A blob's bytes between the network and the thread that unpacks them.

use std::io::{self, BufRead, Read};

use bytes::{Buf, Bytes};
use tokio::sync::mpsc;

/// Chunks in flight. The HTTP client makes chunks of at most 400 KiB, so a download holds 4 MiB at most.
const CHUNKS: usize = 10;

/// Makes a bounded queue: the network waits when unpacking is slower.
pub(crate) fn queue() -> (mpsc::Sender<Bytes>, QueueReader) {
    let (sender, chunks) = mpsc::channel(CHUNKS);
    (
        sender,
        QueueReader {
            chunks,
            current: Bytes::new(),
        },
    )
}

/// Reads the chunks of a queue as one stream, on a thread that may block. The end of the queue is the end of
/// the stream, whether or not the download was whole: that is for the sender to say.
#[derive(Debug)]
pub(crate) struct QueueReader {
    chunks: mpsc::Receiver<Bytes>,
    current: Bytes,
}

impl BufRead for QueueReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.current.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = chunk,
                None => break,
            }
        }
        Ok(&self.current)
    }

    fn consume(&mut self, amount: usize) {
        self.current.advance(amount);
    }
}

impl Read for QueueReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}
