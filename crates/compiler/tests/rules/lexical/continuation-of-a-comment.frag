#version 300 es
// ES 3.00, 3.2: Lines are joined before comments end, so a comment of one line may go on in the next.
// value: 1 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 1.0; // this comment goes on \
    a = 2.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
