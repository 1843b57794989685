#version 300 es
// ES 3.00, 4.1.4: There are no doubles, so there is no suffix lf.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0lf; //~ error: type `double` is not supported
}
