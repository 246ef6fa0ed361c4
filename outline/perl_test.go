package outline_test

import "testing"

func TestOutlinePerl(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"pages", "a.pm", `package A;

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
`, `
1 package A
3 =head1 NAME — A - moves rows.
9   =head2 new
13 sub new
21 =head1 SYNOPSIS — use A;
25 =head1 DESCRIPTION
27   =head2 Methods — It has none.
`},
	})
}
