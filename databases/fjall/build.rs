//! Tells the driver which version of the library it is built with.

#[path = "../library_version.rs"]
mod library_version;

fn main() {
    println!("{}", library_version::instructions("fjall"));
}
