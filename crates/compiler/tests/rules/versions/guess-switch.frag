// GLSL, 1.10: Without `#version` a `switch` is a warning.
// value: 2 0 0 1
// set n = 1
uniform int n;
void main() {
    float a = 0.0;
    switch (n) { //~ warning: GLSL 1.10 has no `switch`; write `if` and `else if`; without `#version` the source is read as GLSL 1.10
    case 1:
        a = 2.0;
        break;
    default:
        a = 3.0;
    }
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
