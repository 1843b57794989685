// GLSL 3.30, 4.7: A layout comes before the storage.
#version 330
out layout(location = 0) vec4 a; //~ error: `layout` comes before `out` in GLSL 3.30

void main() {
}
