// GLSL 3.30, 5.4: No number is made from an array.
#version 330
out vec4 color;
void main() {
    float w[2];
    w[0] = 1.0;
    w[1] = 1.0;
    float a = float(w); //~ error: `float` is not made of (float[2])
    vec2 b = vec2(w); //~ error: `vec2` is not made of (float[2])
}
