// GLSL 3.30, 6.3: The condition of `for` may declare a variable.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 0; bool go = i < 3; i++) {
        if (go) a += 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
