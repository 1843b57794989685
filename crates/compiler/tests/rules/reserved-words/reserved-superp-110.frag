// GLSL 1.10, 3.6: `superp` is a name like others in 1.10.
// value: 1 0 0 1
#version 110
void main() {
    float superp = 1.0;
    gl_FragColor = vec4(superp, 0.0, 0.0, 1.0);
}
