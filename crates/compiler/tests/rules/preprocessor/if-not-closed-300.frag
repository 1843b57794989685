#version 300 es
// ES 3.00, 3.4: Each `#if` has its `#endif`.
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0);
}
#if 1 //~ error
