// GLSL 3.30, 4.3.3: A constant may be infinite: what the language leaves open is a value, not an error.
// value: 5 0 0 1
// set u = 5
#version 330
out vec4 color;
uniform float u;
const float big = 3.0e38 * 10.0;
const float wrong = sqrt(-1.0);

void main() {
    float unused = log(-1.0) + big + wrong;
    color = vec4(u, 0.0, 0.0, 1.0);
}
