// ES 1.00, 6.1: A shader has a function `main` with a body.
#version 100
precision mediump float;
void main(); //~ error: the function `main` has no body
