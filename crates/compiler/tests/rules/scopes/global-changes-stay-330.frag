// GLSL 3.30, 4.2: A global variable keeps what functions write to it.
// value: 3 0 0 1
#version 330
out vec4 color;
float a = 1.0;
void next() { a += 1.0; }

void main() {
    next();
    next();
    color = vec4(a, 0.0, 0.0, 1.0);
}
