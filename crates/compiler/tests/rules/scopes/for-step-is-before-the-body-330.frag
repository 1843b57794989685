// GLSL 3.30, 4.2.2: A name in the body of a `for` means nothing to the step, which comes before it.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    int i = 0;
    float sum = 0.0;
    for (; i < 3; i++) {
        float i = 1.0;
        sum += i;
    }
    color = vec4(sum, 0.0, 0.0, 1.0);
}
