// ES 1.00, 4.3.1: A vector that was never written has no value.
#version 100
precision mediump float;
void main() {
    vec3 v;
    gl_FragColor = vec4(v, 1.0); //~ warning: `v` is read before a value is written to it; it is declared on line 5: give it a value there
}
