// GLSL 3.30, 6.4: `break` in a `switch` ends it, not the loop around it.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 0; i < 3; i++) {
        switch (i) {
        case 0:
            break;
        }
        a += 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
