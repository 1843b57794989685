// ES 1.00, 3.4: `#extension` takes a name, a colon and a behaviour.
#version 100
precision mediump float;
#extension //~ error
#extension GL_OES_standard_derivatives //~ error
#extension GL_OES_standard_derivatives enable //~ error
#extension GL_OES_standard_derivatives : //~ error
#extension GL_OES_standard_derivatives : on //~ error
#extension : enable //~ error
#extension 1 : enable //~ error
#extension all : disable more //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
