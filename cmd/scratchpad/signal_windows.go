package main

func ignoreFileSizeSignal() {}

func ignorePipeSignal() {}
