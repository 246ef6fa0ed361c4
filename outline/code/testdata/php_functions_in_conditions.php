<?php
if (!function_exists('one')) {
    function one($a) {
        if ($a) { function no() {} }
    }
} else {
    function two() {}
}
