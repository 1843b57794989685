// GLSL 3.30, 6.2: `switch` takes an unsigned number with unsigned labels.
// value: 4 0 0 1
// set n = 3
#version 330
out vec4 color;
uniform uint n;

void main() {
    float a = 0.0;
    switch (n) {
    case 3u:
        a = 4.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
