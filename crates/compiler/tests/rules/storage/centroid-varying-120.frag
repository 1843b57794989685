// GLSL 1.20, 4.3.6: `centroid varying` is one qualifier.
// value: 1 0 0 1
#version 120
centroid varying vec2 a;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
