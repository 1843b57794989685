// ES 1.00, 3.8: Names that contain two underscores in a row are reserved.
#version 100
precision mediump float;
uniform float a__b; //~ error: `a__b` has two underscores in a row

void main() {
    float __x = 1.0; //~ error: `__x` has two underscores in a row
}
