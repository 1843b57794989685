// ES 1.00, 8.3: There is no isnan and no isinf.
#version 100
precision mediump float;
uniform float u;

void main() {
    bool a = isnan(u); //~ error
    bool b = isinf(u); //~ error
}
