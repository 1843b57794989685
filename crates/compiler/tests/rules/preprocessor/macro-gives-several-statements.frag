// ES 1.00, 3.4: A macro may give several statements and declarations.
// value: 3 0 0 1
#version 100
precision mediump float;
#define DECLARE(type, name, value) type name = value;
#define FUNCTION(name, result) float name() { return result; }
FUNCTION(one, 1.0)

void main() {
    DECLARE(float, a, 2.0)
    gl_FragColor = vec4(a + one(), 0.0, 0.0, 1.0);
}
