// ES 1.00, 4.5.3: A fragment shader has no default precision for floats: drivers refuse a vector without one, here
// it is a warning.
#version 100
uniform vec4 u; //~ warning: GLSL ES 1.00 has no precision for `float` in a fragment shader unless the source gives one; write `precision highp float;` above
void main() {
    gl_FragColor = u;
}
