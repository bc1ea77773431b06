//! The HDFS that holds HBase's files: who reads them there needs no login of HBase.

use dbdyno_audit::{ChannelError, Scene, Stranger};
use dbdyno_database_hbase::WebServer;

/// The status line is all that counts of an answer.
const LONGEST_LINE: usize = 1 << 10;

/// How the NameNode's web server treats a client without a login; `None` where the address names no such server. By Hadoop's
/// documentation of WebHDFS, a user is who `user.name` says unless there is security, and status 401 asks for a login.
pub fn stranger(scene: &mut Scene<'_>) -> Option<Stranger> {
    let server = WebServer::of(scene.target)?;
    let outcome = status(scene, &server);
    let sent = format!(
        "a question under a made-up name, without a login, to {} of HDFS",
        server.host
    );
    let got = outcome.clone().map(|status| format!("status {status}"));
    scene.note_outcome("hdfs.without-login", sent, &got);
    Some(match outcome {
        Ok(200) => Stranger::Served,
        Ok(401) => Stranger::Refused,
        Ok(status) => Stranger::Unknown(format!("{} answered with status {status}", server.host)),
        Err(error) => Stranger::Unknown(format!("{}: {error}", server.host)),
    })
}

fn status(scene: &Scene<'_>, server: &WebServer) -> Result<u16, ChannelError> {
    let mut channel = scene.open_to(&server.host)?;
    if server.is_encrypted {
        channel = channel.secure(&server.host, scene.trusting()?)?;
    }
    let request = format!(
        "GET /webhdfs/v1/?op=GETFILESTATUS&user.name={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        scene.unused_name(),
        server.host
    );
    channel.send(request.as_bytes())?;
    let line = channel.read_until(Some(b"\r\n"), LONGEST_LINE)?;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split_whitespace();
    let status = words
        .next()
        .filter(|version| version.starts_with("HTTP/"))
        .and_then(|_| words.next()?.parse().ok());
    status.ok_or_else(|| ChannelError::Unexpected("an answer that is not HTTP".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use dbdyno_testkit::audit::server;

    use super::*;
    use crate::scene_of_tests::in_scene;

    fn answered(serve: fn(TcpStream)) -> Option<Stranger> {
        let port = server(serve);
        in_scene(
            &format!("hbase://127.0.0.1:{port}?webhdfs=127.0.0.1:{port}/hbase"),
            stranger,
        )
    }

    fn answer(mut stream: TcpStream, text: &str) {
        let mut request = [0; 512];
        if stream.read(&mut request).is_ok_and(|length| length > 0) {
            stream.write_all(text.as_bytes()).ok();
        }
    }

    #[test]
    fn the_status_says_whether_a_stranger_is_served() {
        let served = answered(|stream| answer(stream, "HTTP/1.1 200 OK\r\n\r\n{}"));
        assert!(matches!(served, Some(Stranger::Served)));
        let refused = answered(|stream| {
            answer(stream, "HTTP/1.1 401 Authentication required\r\n\r\n");
        });
        assert!(matches!(refused, Some(Stranger::Refused)));
    }

    #[test]
    fn what_says_neither_is_not_taken_for_a_refusal() {
        for serve in [
            (|stream| answer(stream, "HTTP/1.1 500 Error\r\n\r\n")) as fn(TcpStream),
            |stream| answer(stream, "SSH-2.0-server\r\n"),
            drop,
        ] {
            assert!(matches!(answered(serve), Some(Stranger::Unknown(_))));
        }
        let port = server(drop);
        let without = in_scene(&format!("hbase://127.0.0.1:{port}"), stranger);
        assert!(without.is_none());
    }
}
