// ES 1.00, 3.4: A `#` alone in its line has no effect.
// value: 1 0 0 1
#version 100
precision mediump float;
#
   #
# // nothing

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
