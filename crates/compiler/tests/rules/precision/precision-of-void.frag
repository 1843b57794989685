#version 300 es
// ES 3.00, 4.5.3: void has no precision.
precision highp float;
out vec4 color;
mediump void f() {} //~ error: `void` has no precision

void main() {
    color = vec4(1.0);
}
