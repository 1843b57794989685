// GLSL 3.30, 4.2.2: Without a declaration in the block the name is that outside.
// value: 5 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    {
        a = 5.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
