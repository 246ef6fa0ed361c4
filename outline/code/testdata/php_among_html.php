<p>it's { </p>
<?php /* it's */ ?>
<b>it's</b>
<?php
function &one() {
    if ($x) { ?>
    <p>it's { </p>
    <?php }
}
function two() {}
?>
it's {
function no() {
