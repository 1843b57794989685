// GLSL 3.30, 4.7: The order is interpolation, storage, precision.
// value: 1 0 0 1
#version 330
out vec4 color;
smooth in mediump vec2 a;
flat in highp int b;
smooth centroid in lowp float c;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
