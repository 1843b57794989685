// ES 3.00, 3.4: A directive may go on in the next line.
// value: 6 0 0 1
#version 330
out vec4 color;
#define MUL(a, b) \
    ((a) * \
     (b))

void main() {
    color = vec4(MUL(2.0, 3.0), 0.0, 0.0, 1.0);
}
