const s =
    \\fn no() { "
;
fn last() void {}
