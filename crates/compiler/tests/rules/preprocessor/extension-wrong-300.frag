#version 300 es
// ES 3.00, 3.4: `#extension` takes a name, a colon and a behaviour.
precision highp float;
out vec4 color;
#extension //~ error
#extension GL_OES_standard_derivatives //~ error
#extension GL_OES_standard_derivatives enable //~ error
#extension GL_OES_standard_derivatives : //~ error
#extension GL_OES_standard_derivatives : on //~ error
#extension : enable //~ error
#extension 1 : enable //~ error
#extension all : disable more //~ error

void main() {
    color = vec4(1.0);
}
