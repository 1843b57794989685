// GLSL 1.10, 3.6: `invariant` and `centroid` are names like others in 1.10.
// value: 1 2 0 1
#version 110
void main() {
    float invariant = 1.0;
    float centroid = 2.0;
    gl_FragColor = vec4(invariant, centroid, 0.0, 1.0);
}
