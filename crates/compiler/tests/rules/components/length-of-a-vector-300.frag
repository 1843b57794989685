#version 300 es
// ES 3.00, 5.5: `length()` is for arrays.
precision highp float;
out vec4 color;
void main() {
    vec3 v = vec3(1.0);
    int n = v.length(); //~ error: `length()` is for arrays whose size is known, not for `vec3`
}
