// ES 1.00, 3.7: A shader of ES 3.00 that says it is ES 1.00.
#version 100
precision mediump float;
in vec2 uv; //~ error
uniform sampler2D s;
out vec4 result; //~ error

void main() {
    result = texture(s, uv); //~ error
}
