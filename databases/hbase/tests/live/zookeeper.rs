//! As much of ZooKeeper's protocol as it takes to copy a node: numbers are big-endian, texts and byte strings follow their
//! length.

use std::io::{Read, Write};
use std::net::TcpStream;

const CREATE: i32 = 1;
const GET_DATA: i32 = 4;
/// Length of the fixed part of an answer: number of the request, transaction, error.
const ANSWER_HEADER_BYTES: usize = 16;

/// A session with a ZooKeeper of this machine. It ends by its timeout.
pub struct ZooKeeper(TcpStream);

impl ZooKeeper {
    pub fn connect(port: u16) -> Self {
        let mut session = Self(TcpStream::connect(("127.0.0.1", port)).unwrap());
        let mut hello = vec![0; 4 + 8];
        hello.extend(10_000_i32.to_be_bytes());
        hello.extend([0; 8]);
        put(&mut hello, &[0; 16]);
        session.exchange(&hello);
        session
    }

    pub fn read(&mut self, path: &str) -> Vec<u8> {
        let mut request = Vec::new();
        put(&mut request, path.as_bytes());
        request.push(0);
        let answer = self.ask(GET_DATA, &request);
        let length = i32::from_be_bytes(answer[..4].try_into().unwrap());
        answer[4..][..length as usize].to_vec()
    }

    /// Makes a node that everybody may do everything with.
    pub fn create(&mut self, path: &str, data: &[u8]) {
        const ALL_PERMISSIONS: i32 = 31;
        let mut request = Vec::new();
        put(&mut request, path.as_bytes());
        put(&mut request, data);
        request.extend(1_i32.to_be_bytes());
        request.extend(ALL_PERMISSIONS.to_be_bytes());
        put(&mut request, b"world");
        put(&mut request, b"anyone");
        request.extend(0_i32.to_be_bytes());
        self.ask(CREATE, &request);
    }

    fn ask(&mut self, operation: i32, request: &[u8]) -> Vec<u8> {
        let numbered = [&1_i32.to_be_bytes()[..], &operation.to_be_bytes()[..], request].concat();
        let answer = self.exchange(&numbered);
        let error = &answer[ANSWER_HEADER_BYTES - 4..ANSWER_HEADER_BYTES];
        assert_eq!(error, [0; 4], "ZooKeeper refuses operation {operation}");
        answer[ANSWER_HEADER_BYTES..].to_vec()
    }

    fn exchange(&mut self, message: &[u8]) -> Vec<u8> {
        let mut framed = Vec::new();
        put(&mut framed, message);
        self.0.write_all(&framed).unwrap();
        let mut length = [0; 4];
        self.0.read_exact(&mut length).unwrap();
        let mut answer = vec![0; i32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut answer).unwrap();
        answer
    }
}

fn put(message: &mut Vec<u8>, bytes: &[u8]) {
    message.extend((bytes.len() as i32).to_be_bytes());
    message.extend(bytes);
}
