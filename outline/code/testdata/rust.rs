macro_rules! first {
    () => { fn no() {} };
}
#[macro_export]
macro_rules! second(
    () => {}
);
pub extern "C" fn one(a: i32) {
    fn inner() {}
}
pub unsafe extern "C" fn two() {}
extern "system" fn three() {}
extern "C" {
    fn four(a: i32);
}
unsafe extern "C"
{
    fn five(a: i32);
}
pub const unsafe fn six() {}
pub const MAX: u8 = 1;
extern crate core;
