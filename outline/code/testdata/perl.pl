#!/usr/bin/perl
package A;
=head1 NAME

sub no { it's }

=cut
sub one {
  print <<"END", 1 << 2;
sub no2 {
END
}
sub two {}
call(
sub {
},
sub ($) {
});
__END__
sub no3 {}
