//! The messages of HBase that probes write and read, with the fields that they need.
//!
//! Facts: `RPC.proto`, `HBase.proto` and `ZooKeeper.proto` of HBase 2.6. They are declared by hand, so that no build needs `protoc`.

use prost::Message;

/// The first message of a connection.
#[derive(Message)]
pub struct ConnectionHeader {
    #[prost(message, optional, tag = "1")]
    pub user: Option<UserInformation>,
    #[prost(string, optional, tag = "2")]
    pub service: Option<String>,
}

/// Who asks.
#[derive(Message)]
pub struct UserInformation {
    #[prost(string, required, tag = "1")]
    pub effective_user: String,
}

/// The first part of a call.
#[derive(Message)]
pub struct RequestHeader {
    #[prost(uint32, optional, tag = "1")]
    pub call: Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub method: Option<String>,
    /// Whether parameters follow.
    #[prost(bool, optional, tag = "4")]
    pub has_parameters: Option<bool>,
}

/// The first part of an answer.
#[derive(Message)]
pub struct ResponseHeader {
    #[prost(uint32, optional, tag = "1")]
    pub call: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub exception: Option<ExceptionResponse>,
}

/// Why a call failed.
#[derive(Message)]
pub struct ExceptionResponse {
    #[prost(string, optional, tag = "1")]
    pub class: Option<String>,
}

/// The content of the master's node in ZooKeeper.
#[derive(Message)]
pub struct Master {
    #[prost(message, optional, tag = "1")]
    pub server: Option<ServerName>,
}

/// Where a server listens.
#[derive(Message)]
pub struct ServerName {
    #[prost(string, required, tag = "1")]
    pub host: String,
    #[prost(uint32, optional, tag = "2")]
    pub port: Option<u32>,
}
