// GLSL 3.30, 5.5: A component is written once.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    v.xx = vec2(1.0); //~ error: a component is written to twice here
    v.xyx += 1.0; //~ error: a component is written to twice here
    v.ww++; //~ error: a component is written to twice here
}
