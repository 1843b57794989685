// GLSL 3.30, 3.3: A `#` alone in its line has no effect.
// value: 1 0 0 1
#version 330
out vec4 color;
#
   #
# // nothing

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
