// GLSL 1.30, 3.4: `/*/` begins a comment and does not end it; `/**/` is a whole one.
// value: 7 0 0 1
#version 130
out vec4 color;
void main() {
    float a = 6.0; /*/ a = 1.0; /*/ a += 1.0; /**/
    color = vec4(a, 0.0, 0.0, 1.0);
}
