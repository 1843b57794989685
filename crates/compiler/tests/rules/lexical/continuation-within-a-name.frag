#version 300 es
// ES 3.00, 3.2: Lines are joined before tokens are formed, so a name may go on in the next line.
// value: 3 0 0 1
precision highp float;
out vec4 color;
void main() {
    float value = 3.0;
    color = vec4(val\
ue, 0.0, 0.0, 1.0);
}
