// GLSL 3.30, 7.2: gl_FragData has an element for each output.
// value: 1 2 3 4
// value: 5 6 7 8
#version 330
void main() {
    gl_FragData[0] = vec4(1.0, 2.0, 3.0, 4.0);
    gl_FragData[1] = vec4(5.0, 6.0, 7.0, 8.0);
}
