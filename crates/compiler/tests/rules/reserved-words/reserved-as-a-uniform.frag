#version 300 es
// ES 3.00, 3.7: Words that are reserved cannot be names of uniforms.
precision highp float;
out vec4 color;
uniform vec4 input; //~ error
uniform float filter; //~ error

void main() {
    color = vec4(1.0);
}
