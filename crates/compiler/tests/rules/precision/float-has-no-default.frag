// ES 1.00, 4.5.3: A fragment shader has no default precision for floats: drivers refuse a float without one, here
// it is a warning.
// value: 1 0 0 1
#version 100
void main() {
    float a = 1.0; //~ warning: GLSL ES 1.00 has no precision for `float` in a fragment shader unless the source gives one; write `precision highp float;` above
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
