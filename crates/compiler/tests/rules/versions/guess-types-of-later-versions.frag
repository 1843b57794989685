// GLSL, 1.10: Without `#version` a type of later versions is a warning.
// value: 6 0 0 1
void main() {
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); //~ warning: GLSL 1.10 has no type `mat2x3`; without `#version` the source is read as GLSL 1.10
    gl_FragColor = vec4(m[1][2], 0.0, 0.0, 1.0);
}
