// ES 3.00, 3.2: A backslash at the end of a line joins it with the next before anything else is read.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 1.0 + \
        2.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
