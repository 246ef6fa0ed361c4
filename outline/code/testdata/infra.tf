# Makes a bucket.

resource "aws_bucket" "b" {
  name = "x"
  lifecycle {
    keep = true
  }
}
locals { a = 1 }
variable "text" {
  default = <<EOT
resource "no" {
EOT
}
