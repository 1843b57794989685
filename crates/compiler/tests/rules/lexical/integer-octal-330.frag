// GLSL 3.30, 4.1.3: An integer that begins with 0 is octal.
// value: 8 63 1 0
#version 330
out vec4 color;
void main() {
    color = vec4(float(010), float(077), float(01), float(00));
}
