// ES 1.00, 5.6: A matrix has no components by letters.
#version 100
precision mediump float;
void main() {
    mat2 m = mat2(1.0);
    vec2 a = m.xy; //~ error: `mat2` has no member `xy`
    float b = m.x; //~ error: `mat2` has no member `x`
    float c = m._m00; //~ error: `mat2` has no member `_m00`
}
