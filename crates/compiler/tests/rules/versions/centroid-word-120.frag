// GLSL 1.20, 4.3.6: `centroid` belongs to the values from the vertex shader.
// value: 1 0 0 1
#version 120
centroid varying vec4 v;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
