#version 300 es
// ES 3.00, 7.2: There are no clip distances.
precision highp float;
out vec4 color;
void main() {
    float a = gl_ClipDistance[0]; //~ error: there is no variable `gl_ClipDistance` here
}
