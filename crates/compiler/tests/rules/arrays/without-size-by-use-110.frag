// GLSL 1.10, 4.1.9: An array without a size is as large as its largest constant index needs.
// value: 3 2 0 1
#version 110
float a[];

void main() {
    a[3] = 3.0;
    a[1] = 2.0;
    gl_FragColor = vec4(a[3], a[1], 0.0, 1.0);
}
