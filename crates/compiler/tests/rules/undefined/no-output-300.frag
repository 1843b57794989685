#version 300 es
// ES 3.00, 7.2: A shader that writes no output is undefined.
precision highp float;
out vec4 color;
void main() { //~ warning: the shader writes no output; declare one, as `out vec4 color;`, and assign a value to it
    float a = 1.0;
}
