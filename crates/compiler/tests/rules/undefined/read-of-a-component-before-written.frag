// GLSL 3.30, 4.3.1: A component that was never written has no value.
#version 330
out vec4 color;
void main() {
    vec2 v;
    v.x = 1.0;
    color = vec4(v.y, 0.0, 0.0, 1.0); //~ warning: `v` is read where it has no value on some path; it is declared on line 5: give it a value there
}
