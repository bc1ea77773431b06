//! The shares of a server's heap, as it states them in its log.

use dbdyno_lab::{InstanceRequest, Keep, LabErrorKind, LabHome, ServerRequest, instances, up};
use dbdyno_server_hbase::HbaseRecipe;

use crate::SERVER;

#[test]
fn shares_of_the_heap_are_those_that_were_asked_for_or_nothing_starts() {
    let home = LabHome::for_tests().unwrap();
    let start = |options: &str| {
        let request = ServerRequest::parse(&format!("{SERVER}&{options}")).unwrap();
        let instance = InstanceRequest {
            recipe: &HbaseRecipe,
            request: &request,
            home: &home,
            keep: Keep::UntilDropped,
        };
        up(&instance, &mut (), &|| false)
    };
    let asked = "block_cache=0.1&memstore=0.6";
    drop(start(asked).unwrap_or_else(|error| panic!("{error}")));
    // The last setting of a name is the one that HBase takes.
    let planted = "settings=hbase.regionserver.global.memstore.size:0.3";
    let error = start(&format!("{asked}&{planted}")).err().unwrap();
    assert_eq!(error.kind, LabErrorKind::Request, "{error}");
    assert!(
        error
            .message
            .contains("memstore=0.6 of a heap of 512 MiB and started with 153.6 MiB"),
        "{error}"
    );
    let left = instances(&home).unwrap();
    assert!(
        left.iter().all(|instance| !instance.request.contains(planted)),
        "{left:?}"
    );
}
