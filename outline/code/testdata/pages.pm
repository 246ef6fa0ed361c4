package A;

=head1 NAME

A - moves rows. And more.

=over

=head2 new

=cut

sub new {
  my $x = <<EOT;
=head1 no
EOT
}
1;
__END__

=head1 SYNOPSIS

  use A;

=head1 DESCRIPTION

=head2 Methods

It has none.
