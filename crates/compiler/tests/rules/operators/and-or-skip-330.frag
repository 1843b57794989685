// GLSL 3.30, 5.9: The right side of `&&` and `||` is computed only where it decides; that of `^^` always.
// value: 0 1 0 111
// set u = 0
#version 330
out vec4 color;
uniform bool u;
int calls = 0;
bool yes(int n) { calls += n; return true; }

void main() {
    bool a = u && yes(1000);
    bool b = !u || yes(1000);
    bool c = true ^^ yes(1);
    bool d = !u && yes(10);
    bool e = u || yes(100);
    color = vec4(float(a), float(b), float(c), float(calls));
}
