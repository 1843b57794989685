// GLSL 1.10, 3.6: `flat` is a name like others until 1.30.
// value: 1 0 0 1
#version 110
void main() {
    float flat = 1.0;
    gl_FragColor = vec4(flat, 0.0, 0.0, 1.0);
}
