// GLSL 1.20, 8.3: There is no isnan and no isinf.
#version 120
uniform float u;

void main() {
    bool a = isnan(u); //~ error
    bool b = isinf(u); //~ error
}
