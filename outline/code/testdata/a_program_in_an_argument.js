( function( global, factory ) {
  factory( global );
} )( typeof window !== "undefined" ? window : this, function( window ) {
function one() {
  return { a: 1 };
}
one.two = function () {};
var
  three = 3,
  four = 4;
} );
