#version 300 es
// ES 3.00, 3.4: An extension that is required must exist.
precision highp float;
out vec4 color;
#extension GL_FOO_not_there : require //~ error

void main() {
    color = vec4(1.0);
}
