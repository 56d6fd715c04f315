//! A response body that is read from a file while it is sent.

use std::fs::File;
use std::io;
use std::io::Read;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::task::ready;

use hyper::body::Body;
use hyper::body::Bytes;
use hyper::body::Frame;
use hyper::body::SizeHint;
use tokio::task::JoinHandle;

/// The size of a chunk in bytes.
const CHUNK: usize = 256 << 10;

/// A file that is read in chunks, so that no thread waits for a slow client. Fails if the file is truncated while it is sent.
pub struct FileBody {
    state: State,
    left: u64,
}

enum State {
    Waiting(File),
    Reading(JoinHandle<io::Result<(File, Vec<u8>)>>),
    Ended,
}

impl FileBody {
    /// The first `size` bytes of a file.
    pub fn new(file: File, size: u64) -> FileBody {
        FileBody { state: State::Waiting(file), left: size }
    }
}

/// Reads the next chunk.
fn read(mut file: File, left: u64) -> io::Result<(File, Vec<u8>)> {
    let mut bytes = vec![0; usize::try_from(left).unwrap_or(CHUNK).min(CHUNK)];
    file.read_exact(&mut bytes)?;
    Ok((file, bytes))
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            if self.left == 0 {
                return Poll::Ready(None);
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Poll::Ready(None),
                State::Waiting(file) => {
                    let left = self.left;
                    self.state = State::Reading(tokio::task::spawn_blocking(move || read(file, left)));
                }
                State::Reading(mut handle) => {
                    let Poll::Ready(read) = Pin::new(&mut handle).poll(cx) else {
                        self.state = State::Reading(handle);
                        return Poll::Pending;
                    };
                    return Poll::Ready(Some(match read.unwrap_or_else(|why| Err(io::Error::other(why))) {
                        Ok((file, bytes)) => {
                            self.left = self.left.saturating_sub(bytes.len() as u64);
                            self.state = State::Waiting(file);
                            Ok(Frame::data(Bytes::from(bytes)))
                        }
                        Err(why) => Err(why),
                    }));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// The body of a response.
pub enum AnswerBody {
    /// Bytes; `None` once they have been sent.
    Bytes(Option<Bytes>),
    File(FileBody),
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.get_mut() {
            AnswerBody::Bytes(bytes) => {
                Poll::Ready(bytes.take().filter(|bytes| !bytes.is_empty()).map(|bytes| Ok(Frame::data(bytes))))
            }
            AnswerBody::File(file) => {
                let frame = ready!(Pin::new(file).poll_frame(cx));
                Poll::Ready(frame)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            AnswerBody::Bytes(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            AnswerBody::File(file) => file.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            AnswerBody::Bytes(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            AnswerBody::File(file) => file.size_hint(),
        }
    }
}
