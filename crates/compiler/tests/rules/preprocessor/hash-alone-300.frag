#version 300 es
// ES 3.00, 3.4: A `#` alone in its line has no effect.
// value: 1 0 0 1
precision highp float;
out vec4 color;
#
   #
# // nothing

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
