//! A plain web server, as anybody has one for a folder of files.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A web server that has nothing but a folder, and notes what it is asked for.
pub(crate) struct WebServer {
    /// Where it answers.
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl WebServer {
    pub(crate) fn of(folder: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &folder, &noted);
            }
        });
        Self { address, asked }
    }

    /// What it was asked for since the last time.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, folder: &Path, asked: &Mutex<Vec<String>>) {
    let lines: Vec<String> =
        BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let Some(path) = lines.first().and_then(|line| line.split(' ').nth(1)) else { return };
    asked.lock().unwrap().push(path.to_owned());
    let name = if path == "/" { "index.html" } else { &path[1..] };
    let kind = if name.ends_with(".js") { "text/javascript" } else { "text/html; charset=utf-8" };
    let (status, bytes) = match std::fs::read(folder.join(name)) {
        Ok(bytes) => ("200 OK", bytes),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    // A browser that has gone needs no answer.
    _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
}
