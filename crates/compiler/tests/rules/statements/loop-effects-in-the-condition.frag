// GLSL 3.30, 6.3: Effects of the condition happen before every round, also before the last.
// value: 3 4 0 1
#version 330
out vec4 color;
int calls = 0;
bool go(int i) { calls++; return i < 3; }

void main() {
    int n = 0;
    for (int i = 0; go(i); i++) n++;
    color = vec4(n, calls, 0.0, 1.0);
}
