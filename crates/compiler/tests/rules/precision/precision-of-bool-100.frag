// ES 1.00, 4.5.2: bool has no precision.
#version 100
precision mediump float;
void main() {
    mediump bool a = true; //~ error
    lowp bvec2 b = bvec2(true); //~ error
}
