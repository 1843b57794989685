#version 300 es
// ES 3.00, 6.4: `continue` in a `switch` goes on with the loop around it.
// value: 2 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 0; i < 3; i++) {
        switch (i) {
        case 1:
            continue;
        }
        a += 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
