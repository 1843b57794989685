// GLSL 1.20, 5.9: The columns of the left matrix are as many as the rows of the right one.
// value: 9 12 15 5
#version 120
void main() {
    mat2x3 a = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    mat2 b = mat2(1.0, 2.0, 0.0, 1.0);
    mat2x3 c = a * b;
    vec2 d = vec3(1.0, 0.0, 1.0) * mat2x3(2.0, 9.0, 3.0, 4.0, 5.0, 6.0);
    gl_FragColor = vec4(c[0], d.x);
}
